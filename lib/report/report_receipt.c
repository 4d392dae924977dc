/* SPDX-License-Identifier: BSD-3-Clause */
/* What the receipt of a device's run says. */
#include <inttypes.h>

#include "report_priv.h"

void
report_receipt(const struct pg_device *device, FILE *out)
{
	const struct pg_receipt *receipt = device->receipt;
	char text[PG_VERIFY_TEXT_MAX];

	if (receipt == NULL)
		return;
	fprintf(out,
		"     receipt: %u checks, %u ok; %" PRIu64
		" packets read, %.2f cycles per packet\n",
		pg_receipt_checks(receipt), pg_receipt_ok(receipt), receipt->packets,
		receipt->cycles_per_packet);
	for (int i = 0; i < PG_VERIFY_CHECKS; i++) {
		const struct pg_receipt_check *check = &receipt->check[i];

		if (check->faults > 0)
			fprintf(out, "     receipt: %s wrong %" PRIu64 " times, first %s\n",
				pg_verify_check_name(i), check->faults,
				pg_verify_fault_text(&check->first, text, sizeof(text)));
	}
}

static json_t *
fault_json(const struct pg_verify_fault *fault)
{
	char text[PG_VERIFY_TEXT_MAX];
	json_t *object = json_object();

	report_set_int(object, "packet", fault->packet);
	json_object_set_new(object, "field", json_string(pg_verify_field_name(fault->field)));
	pg_verify_expected_text(fault, text, sizeof(text));
	json_object_set_new(object, "expected", json_string(text));
	pg_verify_found_text(fault, text, sizeof(text));
	json_object_set_new(object, "found", json_string(text));
	return object;
}

json_t *
report_receipt_json(const struct pg_receipt *receipt)
{
	json_t *object = json_object(), *checks = json_array();

	report_set_int(object, "every", receipt->every);
	report_set_int(object, "packets", receipt->packets);
	json_object_set_new(object, "cycles_per_packet", json_real(receipt->cycles_per_packet));
	for (int i = 0; i < PG_VERIFY_CHECKS; i++) {
		const struct pg_receipt_check *check = &receipt->check[i];
		json_t *row;

		if (!check->counted)
			continue;
		row = json_object();
		json_object_set_new(row, "name", json_string(pg_verify_check_name(i)));
		report_set_int(row, "packets", check->packets);
		report_set_int(row, "faults", check->faults);
		if (check->faults > 0)
			json_object_set_new(row, "first", fault_json(&check->first));
		json_array_append_new(checks, row);
	}
	json_object_set_new(object, "checks", checks);
	return object;
}
