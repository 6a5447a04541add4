/* Advertising reports: from memory to events, and from a capture to memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fakectl.h"

enum { LE_META = 0x3e, ADVERTISING_REPORT = 0x02, EXTENDED_ADVERTISING_REPORT = 0x0d };
enum { IS_LEGACY = 0x10, HAS_MORE = 0x20, NO_LEGACY_TYPE = 0xff };

/* Source: Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13. */
static const struct {
  const char *name;
  uint16_t extended;
  uint8_t legacy;
} pdu_types[] = {
  {"ind", 0x13, 0},
  {"direct", 0x15, 1},
  {"scan", 0x12, 2},
  {"nonconn", 0x10, 3},
  {"rsp", 0x1b, 4},
  {"rsp-scan", 0x1a, 4},
  {"ext-nonconn", 0x00, NO_LEGACY_TYPE},
  {"ext-conn", 0x01, NO_LEGACY_TYPE},
  {"ext-scan", 0x02, NO_LEGACY_TYPE},
  {"ext-rsp", 0x0a, NO_LEGACY_TYPE},
};
enum { PDU_TYPES = sizeof pdu_types / sizeof *pdu_types };

bool parse_pdu_type(const char *name, uint16_t *event_type) {
  for (int i = 0; i < PDU_TYPES; i++) {
    if (!strcmp(name, pdu_types[i].name)) {
      *event_type = pdu_types[i].extended;
      return true;
    }
  }
  return fail("unknown PDU type");
}

/* ---- Sending ---- */

/* A controller that filters duplicates reports each advertiser once. */
static uint64_t seen[4096];
static unsigned seen_count;

void forget_duplicates(void) { seen_count = 0; }

static bool is_duplicate(const struct report *report) {
  uint64_t key = (uint64_t)(report->event_type & 0xff) << 56 | (uint64_t)report->address_type << 48;
  for (int i = 0; i < 6; i++) key |= (uint64_t)report->address[i] << (8 * i);
  for (unsigned i = 0; i < seen_count; i++) {
    if (seen[i] == key) return true;
  }
  if (seen_count < sizeof seen / sizeof *seen) seen[seen_count++] = key;
  return false;
}

static bool send_legacy(const struct report *report) {
  uint8_t type = NO_LEGACY_TYPE;
  for (int i = 0; i < PDU_TYPES; i++) {
    if (pdu_types[i].extended == report->event_type) type = pdu_types[i].legacy;
  }
  /* A legacy scanner does not hear extended PDUs. */
  if (type == NO_LEGACY_TYPE) return false;
  size_t length = report->length > 31 ? 31 : report->length;
  uint8_t event[12 + 31] = {ADVERTISING_REPORT, 1, type, report->address_type};
  memcpy(event + 4, report->address, 6);
  event[10] = (uint8_t)length;
  memcpy(event + 11, report->data, length);
  event[11 + length] = (uint8_t)report->rssi;
  return send_event(LE_META, event, 12 + length);
}

static bool send_extended(const struct report *report) {
  size_t sent = 0;
  do {
    size_t left = report->length - sent, length = left > MAX_FRAGMENT ? MAX_FRAGMENT : left;
    uint16_t type = report->event_type;
    if (left > length) type |= HAS_MORE;
    /* The periodic interval and the direct address stay zero. */
    uint8_t event[26 + MAX_FRAGMENT] = {EXTENDED_ADVERTISING_REPORT, 1, (uint8_t)type, (uint8_t)(type >> 8)};
    event[4] = report->address_type;
    memcpy(event + 5, report->address, 6);
    event[11] = report->primary_phy;
    event[12] = report->secondary_phy;
    event[13] = report->sid;
    event[14] = (uint8_t)report->tx_power;
    event[15] = (uint8_t)report->rssi;
    event[25] = (uint8_t)length;
    memcpy(event + 26, report->data + sent, length);
    if (!send_event(LE_META, event, 26 + length)) return false;
    sent += length;
  } while (sent < report->length);
  return true;
}

void inject(const struct report *report) {
  enum form form = report->form;
  if (controller.scan == SCAN_OFF) {
    stats.no_scan++;
    return;
  }
  if (now() < controller.stalled_until || (options.deaf && controller.scan == SCAN_EXTENDED)) {
    stats.stalled++;
    return;
  }
  if (controller.filter && is_duplicate(report)) {
    stats.duplicate++;
    return;
  }
  if (form == FORM_AUTO) form = controller.scan == SCAN_EXTENDED ? FORM_EXTENDED : FORM_LEGACY;
  if (form == FORM_EXTENDED ? send_extended(report) : send_legacy(report)) {
    stats.injected++;
  } else {
    stats.refused++;
  }
}

/* ---- Captures ---- */

/* Source: btsnoop's data link types, as btmon writes them. */
enum { LINK_H1 = 1001, LINK_H4 = 1002, LINK_MONITOR = 2001 };

static struct {
  FILE *file;
  uint32_t link;
  double speed; /* 0: without pauses */
  usec_t first, start;
  uint64_t count;
  /* The event whose reports are being taken, and how many are left of them. */
  uint8_t packet[2048];
  const uint8_t *next, *end;
  bool is_extended;
  int left;
  struct report report;
  usec_t due;
} capture;

static uint32_t big_endian(const uint8_t *octets) {
  return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 | octets[3];
}

/* The next event with advertising reports, when it was received in `time`. */
static bool read_event(usec_t *time) {
  uint8_t header[24];
  while (fread(header, 1, sizeof header, capture.file) == sizeof header) {
    uint32_t length = big_endian(header + 4), flags = big_endian(header + 8);
    *time = (usec_t)big_endian(header + 16) << 32 | big_endian(header + 20);
    if (length > sizeof capture.packet || fread(capture.packet, 1, length, capture.file) != length) return false;
    const uint8_t *event = capture.packet, *end = event + length;
    if (capture.link == LINK_MONITOR) {
      /* The flags are adapter and kind; 3 is an event. */
      if ((flags & 0xffff) != 3) continue;
    } else if (capture.link == LINK_H4) {
      if (!length || *event++ != 0x04) continue;
    } else if ((flags & 3) != 3) {
      continue;
    }
    if (end - event < 4 || event[0] != LE_META) continue;
    if (event[2] != ADVERTISING_REPORT && event[2] != EXTENDED_ADVERTISING_REPORT) continue;
    capture.is_extended = event[2] == EXTENDED_ADVERTISING_REPORT;
    capture.left = event[3];
    capture.next = event + 4;
    capture.end = end;
    return true;
  }
  return false;
}

/* The next report of the event in hand. */
static bool take_report(void) {
  static const uint16_t extended_types[] = {0x13, 0x15, 0x12, 0x10, 0x1b};
  const uint8_t *octets = capture.next;
  size_t size = (size_t)(capture.end - octets), head = capture.is_extended ? 24 : 9;
  if (capture.left == 0 || size < head) return false;
  uint8_t length = octets[head - 1];
  size_t whole = head + length + (capture.is_extended ? 0 : 1);
  if (size < whole) return false;
  capture.left--;
  capture.next += whole;

  struct report report = {.length = length, .primary_phy = 1, .sid = 0xff, .tx_power = 127};
  memcpy(report.data, octets + head, length);
  if (capture.is_extended) {
    report.event_type = (uint16_t)(octets[0] | octets[1] << 8);
    report.address_type = octets[2];
    memcpy(report.address, octets + 3, 6);
    report.primary_phy = octets[9];
    report.secondary_phy = octets[10];
    report.sid = octets[11];
    report.tx_power = (int8_t)octets[12];
    report.rssi = (int8_t)octets[13];
  } else {
    report.event_type = octets[0] < 5 ? extended_types[octets[0]] : IS_LEGACY;
    report.address_type = octets[1];
    memcpy(report.address, octets + 2, 6);
    report.rssi = (int8_t)octets[head + length];
  }
  capture.report = report;
  return true;
}

static bool next_report(void) {
  usec_t time;
  while (!take_report()) {
    if (!read_event(&time)) return false;
    if (!capture.start) {
      capture.first = time;
      capture.start = now();
    }
    /* A clock that was set back makes no pause. */
    double elapsed = time > capture.first ? (double)(time - capture.first) : 0;
    /* A year, in case a clock was set forth: less than what a time can hold. */
    double pause = capture.speed > 0 ? elapsed / capture.speed : 0;
    capture.due = capture.start + (usec_t)(pause < 3e13 ? pause : 3e13);
  }
  return true;
}

static void end_replay(void) {
  fclose(capture.file);
  capture.file = NULL;
}

const char *start_replay(const char *path, double speed) {
  uint8_t header[16];
  if (capture.file) end_replay();
  memset(&capture, 0, sizeof capture);
  capture.file = fopen(path, "rb");
  if (!capture.file) return strerror(errno);
  capture.speed = speed;
  if (fread(header, 1, sizeof header, capture.file) != sizeof header || memcmp(header, "btsnoop", 8)) {
    end_replay();
    return "not a btsnoop file";
  }
  capture.link = big_endian(header + 12);
  if (!next_report()) {
    end_replay();
    return "no advertising report in the capture";
  }
  return NULL;
}

bool replay(usec_t time, usec_t *wake) {
  /* Commands want answers meanwhile. */
  for (int turn = 0; turn < 256 && time >= capture.due; turn++) {
    inject(&capture.report);
    capture.count++;
    if (!next_report()) {
      say("replay done reports=%llu", (unsigned long long)capture.count);
      end_replay();
      return false;
    }
  }
  *wake = capture.due;
  return true;
}
