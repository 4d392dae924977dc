/* SPDX-License-Identifier: BSD-3-Clause */
/* --metrics ADDRESS:PORT: a page of metrics over HTTP, by libmicrohttpd. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "app.h"
#include "pg_report.h"

#define CLIENTS_MAX 16
#define TIMEOUT_S   10
#define OPENMETRICS "application/openmetrics-text"
#define OTHER_TEXT  "text/plain; version=0.0.4; charset=utf-8"

static int
parse_port(const char *text, uint16_t *port)
{
	unsigned long value = strtoul(text, NULL, 10);

	if (text[0] == '\0' || strlen(text) > 5 || strspn(text, "0123456789") != strlen(text) ||
		value > UINT16_MAX)
		return -EINVAL;
	*port = htons((uint16_t)value);
	return 0;
}

int
app_metrics_parse(const char *text, struct sockaddr_storage *address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	size_t length = colon != NULL ? (size_t)(colon - text) : 0;

	memset(address, 0, sizeof(*address));
	if (length >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, length);
	host[length] = '\0';
	if (host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = '\0';
		in6->sin6_family = AF_INET6;
		if (inet_pton(AF_INET6, host + 1, &in6->sin6_addr) != 1)
			return -EINVAL;
		return parse_port(colon + 1, &in6->sin6_port);
	}
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (length > 0 && strcmp(host, "localhost") != 0 &&
		inet_pton(AF_INET, host, &in->sin_addr) != 1)
		return -EINVAL;
	return parse_port(colon != NULL ? colon + 1 : text, &in->sin_port);
}

static enum MHD_Result
send_text(struct MHD_Connection *connection, unsigned int status, const char *type, char *text,
	size_t size, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(size, text, mode);
	enum MHD_Result rc;

	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result
refuse(struct MHD_Connection *connection, unsigned int status, const char *why)
{
	return send_text(connection, status, "text/plain; charset=utf-8", (char *)(uintptr_t)why,
		strlen(why), MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result
serve(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
	const char *http, const char *body, size_t *nbody, void **state)
{
	const char *accept =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool openmetrics = accept != NULL && strstr(accept, OPENMETRICS) != NULL;
	struct app *app = ctx;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	(void)http, (void)body, (void)nbody, (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(url, "/metrics") != 0)
		return refuse(connection, MHD_HTTP_NOT_FOUND, "the page is /metrics\n");
	out = open_memstream(&text, &size);
	if (out == NULL)
		return MHD_NO;
	pg_engine_lock(app->engine);
	app_thread_stay_off(app);
	pg_report_metrics(app->engine, openmetrics, out);
	pg_engine_unlock(app->engine);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return send_text(connection, MHD_HTTP_OK,
		openmetrics ? OPENMETRICS "; version=1.0.0; charset=utf-8" : OTHER_TEXT, text, size,
		MHD_RESPMEM_MUST_FREE);
}

// Own socket: the library says only in words of its log why it cannot listen.
static int
listen_at(const struct sockaddr_storage *address)
{
	socklen_t size = address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
							: sizeof(struct sockaddr_in);
	int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
		bind(fd, (const struct sockaddr *)address, size) < 0 || listen(fd, 16) < 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fd;
}

// Where it listens; port 0 was anyone's to choose.
static void
tell(const struct app *app, int fd)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);
	char host[INET6_ADDRSTRLEN];
	bool six;

	if (!app->options.verbose || getsockname(fd, (struct sockaddr *)&at, &size) < 0)
		return;
	six = at.ss_family == AF_INET6;
	inet_ntop(at.ss_family,
		six ? (const void *)&((struct sockaddr_in6 *)&at)->sin6_addr
		    : (const void *)&((struct sockaddr_in *)&at)->sin_addr,
		host, sizeof(host));
	fprintf(app->out, "metrics: http://%s%s%s:%u/metrics\n", six ? "[" : "", host,
		six ? "]" : "",
		ntohs(six ? ((struct sockaddr_in6 *)&at)->sin6_port
			  : ((struct sockaddr_in *)&at)->sin_port));
	fflush(app->out);
}

int
app_metrics_open(struct app *app)
{
	struct pg_error err = {0};
	int fd;

	if (app->options.metrics == NULL)
		return -1;
	fd = listen_at(&app->options.metrics_address);
	if (fd < 0) {
		pg_error_set(&err, PG_FAULT_ENV, -fd, "cannot serve metrics at %.60s: %s",
			app->options.metrics, strerror(-fd));
		pg_error_remedy(&err, "%s",
			fd == -EACCES ? "take a port above 1023"
			: fd == -EADDRINUSE
				? "take another port, or 0 for one that is free (-v tells it)"
				: "take an address of this machine, such as 127.0.0.1");
		return app_print_error(&err);
	}
	app->metrics = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL,
		NULL, serve, app, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		CLIENTS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S, MHD_OPTION_END);
	if (app->metrics != NULL) {
		tell(app, fd);
		return -1;
	}
	close(fd);
	fprintf(stderr, "pmdgen: cannot serve metrics: the HTTP server does not start\n");
	return APP_BAD_ENVIRONMENT;
}

void
app_metrics_close(struct app *app)
{
	if (app->metrics != NULL)
		MHD_stop_daemon(app->metrics);
	app->metrics = NULL;
}
