/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "port_priv.h"

struct pg_ports {
	const struct pg_port_ops *ops;
	struct pg_port *first;
	char **attached; /**< device arguments, as the user gave them */
	size_t nattached;
};

struct pg_ports *
pg_ports_create(const struct pg_port_ops *ops)
{
	struct pg_ports *ports = calloc(1, sizeof(*ports));

	if (ports != NULL)
		ports->ops = ops;
	return ports;
}

static void
drop(struct pg_ports *ports, struct pg_port *port)
{
	struct pg_port **link = &ports->first;

	while (*link != port)
		link = &(*link)->next;
	*link = port->next;
	ports->ops->close(ports->ops->ctx, port);
	free(port);
}

void
pg_ports_destroy(struct pg_ports *ports)
{
	if (ports == NULL)
		return;
	while (ports->first != NULL)
		drop(ports, ports->first);
	while (ports->nattached > 0)
		free(ports->attached[--ports->nattached]);
	free(ports->attached);
	free(ports);
}

struct pg_port *
pg_ports_first(const struct pg_ports *ports)
{
	return ports->first;
}

int
pg_ports_probe(const struct pg_ports *ports, const char *name, struct pg_error *err)
{
	return ports->ops->probe(ports->ops->ctx, name, err);
}

struct pg_port *
pg_ports_find(const struct pg_ports *ports, const char *name)
{
	struct pg_port *port = ports->first;

	// A port number and a name may mean the same ethdev.
	while (port != NULL && strcmp(port->name, name) != 0 && strcmp(port->ethdev, name) != 0)
		port = port->next;
	return port;
}

struct pg_port *
pg_ports_get(struct pg_ports *ports, const char *name, struct pg_error *err)
{
	struct pg_port *port = pg_ports_find(ports, name);

	if (port != NULL && ports->ops->up != NULL &&
		ports->ops->up(ports->ops->ctx, port, err) < 0)
		return NULL;
	if (port != NULL)
		goto found;
	port = calloc(1, sizeof(*port));
	if (port == NULL) {
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
		return NULL;
	}
	snprintf(port->name, sizeof(port->name), "%s", name);
	if (ports->ops->open(ports->ops->ctx, port, err) < 0) {
		free(port);
		return NULL;
	}
	for (struct pg_port *p = ports->first; p != NULL; p = p->next) {
		if (p->id == port->id && strcmp(p->ethdev, port->ethdev) == 0) {
			port->attached = false; // the port that is open already keeps the ethdev
			ports->ops->close(ports->ops->ctx, port);
			free(port);
			port = p;
			goto found;
		}
	}
	port->next = ports->first;
	ports->first = port;
found:
	port->users++;
	return port;
}

void
pg_ports_put(struct pg_ports *ports, struct pg_port *port)
{
	// What the user attached stays as it is (net_pcap's file open) until it is detached.
	if (--port->users > 0 || !port->attached)
		return;
	drop(ports, port);
}

int
pg_ports_attach(struct pg_ports *ports, const char *devargs, struct pg_error *err)
{
	char **more = realloc(ports->attached, (ports->nattached + 1) * sizeof(*more));
	char *copy = strdup(devargs);

	if (more != NULL)
		ports->attached = more;
	if (more == NULL || copy == NULL)
		pg_error_set(err, PG_FAULT_ENV, ENOMEM, "out of memory");
	else if (pg_port_attach(devargs, err) == 0) {
		ports->attached[ports->nattached++] = copy;
		return 0;
	}
	free(copy);
	return -err->code;
}

const char *
pg_ports_attached(const struct pg_ports *ports, size_t i)
{
	return i < ports->nattached ? ports->attached[i] : NULL;
}

static void
forget_attached(struct pg_ports *ports, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < ports->nattached; i++) {
		size_t length = strcspn(ports->attached[i], ",");

		if (strlen(name) == length && strncmp(ports->attached[i], name, length) == 0)
			free(ports->attached[i]);
		else
			ports->attached[kept++] = ports->attached[i];
	}
	ports->nattached = kept;
}

int
pg_ports_detach(struct pg_ports *ports, const char *name, struct pg_error *err)
{
	struct pg_port *port = pg_ports_find(ports, name);
	char ethdev[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev_info info;
	uint16_t id;
	int rc;

	if (port != NULL && port->users > 0) {
		pg_error_set(err, PG_FAULT_INPUT, EBUSY, "%s is used by %u device%s", name,
			port->users, port->users == 1 ? "" : "s");
		return pg_error_expect(err, "rem_device_all on their threads before");
	}
	if (rte_eth_dev_get_port_by_name(name, &id) < 0 || rte_eth_dev_info_get(id, &info) < 0) {
		pg_error_set(err, PG_FAULT_INPUT, ENODEV, "no device '%s' is attached", name);
		return pg_error_expect(err, "the name of an ethdev");
	}
	if (port != NULL)
		drop(ports, port);
	snprintf(ethdev, sizeof(ethdev), "%s", rte_dev_name(info.device));
	rc = rte_dev_remove(info.device);
	if (rc == 0)
		forget_attached(ports, ethdev);
	return rc == 0 ? 0
		       : pg_error_set(err, PG_FAULT_ENV, -rc, "cannot detach %s: %s", name,
				 rte_strerror(-rc));
}
