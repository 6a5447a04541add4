/* The controller: /dev/vhci, HCI commands and their answers, faults. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "fakectl.h"

enum { H4_COMMAND = 0x01, H4_EVENT = 0x04, H4_VENDOR = 0xff };
enum { COMMAND_COMPLETE = 0x0e, COMMAND_STATUS = 0x0f };
enum { SUCCESS = 0x00, UNKNOWN_COMMAND = 0x01, COMMAND_DISALLOWED = 0x0c, INVALID_PARAMETERS = 0x12 };
enum { MAX_FAULTS = 32 };

struct controller controller = {.file = -1, .index = -1};

static struct fault {
  int opcode;
  enum fault_kind kind;
  uint8_t status;
} faults[MAX_FAULTS];
static int fault_count;

/* ---- Plugging ---- */

/* The vendor packet makes an adapter of a kind; the answer holds its index. Source: drivers/bluetooth/hci_vhci.c. */
static int open_adapter(uint8_t kind, int *index) {
  uint8_t create[2] = {H4_VENDOR, kind}, answer[4];
  int file = open("/dev/vhci", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) die("/dev/vhci: %s", strerror(errno));
  if (write(file, create, sizeof create) != sizeof create) die("/dev/vhci: no adapter: %s", strerror(errno));
  struct pollfd poll_file = {.fd = file, .events = POLLIN};
  if (poll(&poll_file, 1, 5000) != 1 || read(file, answer, sizeof answer) != 4 || answer[0] != H4_VENDOR)
    die("/dev/vhci: no index came back");
  *index = answer[2] | answer[3] << 8;
  return file;
}

void plug(bool elsewhere) {
  if (controller.file >= 0 || options.check) return;
  /* The kernel gives the lowest free index. A raw device (bit 7) takes it meanwhile, of which no manager hears. */
  int other, place = elsewhere ? open_adapter(0x80, &other) : -1;
  struct controller fresh = {.cure = CURE_NONE};
  fresh.file = open_adapter(0x00, &fresh.index);
  if (place >= 0) close(place);
  controller = fresh;
  say("plug hci%d", controller.index);
}

void unplug(void) {
  if (controller.file < 0) return;
  close(controller.file);
  controller.file = -1;
  controller.scan = SCAN_OFF;
  say("unplug hci%d", controller.index);
}

/* ---- Events ---- */

bool send_event(uint8_t code, const uint8_t *parameters, size_t length) {
  uint8_t packet[3 + 255] = {H4_EVENT, code, (uint8_t)length};
  if (controller.file < 0 || length > 255) return false;
  memcpy(packet + 3, parameters, length);
  return write(controller.file, packet, 3 + length) == (ssize_t)(3 + length);
}

static void complete(uint16_t opcode, const uint8_t *values, size_t length) {
  uint8_t parameters[255] = {1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
  memcpy(parameters + 3, values, length);
  send_event(COMMAND_COMPLETE, parameters, 3 + length);
}

static void refuse_start(uint16_t opcode) {
  uint8_t parameters[4] = {COMMAND_DISALLOWED, 1, (uint8_t)opcode, (uint8_t)(opcode >> 8)};
  send_event(COMMAND_STATUS, parameters, sizeof parameters);
}

/* ---- Commands ---- */

/* What needs no more than success, with its name for the log. */
static const struct {
  uint16_t opcode;
  const char *name;
} plain[] = {
  {0x0c01, "Set Event Mask"},
  {0x0c63, "Set Event Mask Page 2"},
  {0x0c13, "Write Local Name"},
  {0x0c24, "Write Class of Device"},
  {0x0c6d, "Write LE Host Supported"},
  {0x2001, "LE Set Event Mask"},
  {0x2005, "LE Set Random Address"},
  {0x2006, "LE Set Advertising Parameters"},
  {0x2008, "LE Set Advertising Data"},
  {0x2009, "LE Set Scan Response Data"},
  {0x200a, "LE Set Advertising Enable"},
  {0x2010, "LE Clear Filter Accept List"},
  {0x2011, "LE Add To Filter Accept List"},
  {0x2012, "LE Remove From Filter Accept List"},
  {0x2024, "LE Write Suggested Default Data Length"},
  {0x2031, "LE Set Default PHY"},
  {0x2035, "LE Set Advertising Set Random Address"},
  {0x2037, "LE Set Extended Advertising Data"},
  {0x2038, "LE Set Extended Scan Response Data"},
  {0x2039, "LE Set Extended Advertising Enable"},
  {0x203c, "LE Remove Advertising Set"},
  {0x203d, "LE Clear Advertising Sets"},
};

/* What answers with data: the status, then the values. */
static const struct {
  uint16_t opcode;
  const char *name;
  uint8_t length, values[12];
} fixed[] = {
  {0x1005, "Read Buffer Size", 8, {0, 27, 0, 0, 4, 0, 0, 0}},
  {0x2002, "LE Read Buffer Size", 4, {0, 27, 0, 4}},
  {0x2007, "LE Read Advertising Channel TX Power", 2, {0, 0}},
  {0x200f, "LE Read Filter Accept List Size", 2, {0, 16}},
  {0x201c, "LE Read Supported States", 9, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03, 0, 0}},
  {0x2018, "LE Rand", 9, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
  {0x2023, "LE Read Suggested Default Data Length", 5, {0, 27, 0, 0x48, 0x01}},
  {0x202f, "LE Read Maximum Data Length", 9, {0, 27, 0, 0x48, 0x01, 27, 0, 0x48, 0x01}},
  {0x2036, "LE Set Extended Advertising Parameters", 2, {0, 0}},
  {0x203a, "LE Read Maximum Advertising Data Length", 3, {0, 0x72, 0x06}},
  {0x203b, "LE Read Number of Supported Advertising Sets", 2, {0, 4}},
  {0x204b, "LE Read Transmit Power", 3, {0, 0xec, 0x08}},
};

/* Source: Core Specification, Vol 4, Part E, 6.27. */
static void complete_supported_commands(uint16_t opcode) {
  uint8_t values[65] = {0}, *supported = values + 1;
  supported[0] = 0x20;  /* Disconnect */
  supported[5] = 0xc0;  /* Set Event Mask, Reset */
  supported[14] = 0x28; /* Read Local Version, Read Local Features */
  supported[15] = 0x02; /* Read BD_ADDR */
  supported[25] = 0xf7; /* LE basics, advertising parameters and data */
  supported[26] = 0xcf; /* scan response, advertising, scanning, accept list */
  supported[27] = 0x83; /* accept list, LE Rand */
  supported[28] = 0x08; /* LE Read Supported States */
  if (options.extended) {
    supported[36] = 0xfe; /* extended advertising */
    supported[37] = 0x63; /* advertising sets, extended scanning */
  }
  complete(opcode, values, sizeof values);
}

static void cure(enum cure by) {
  if (controller.cure == by) {
    controller.stalled_until = 0;
    controller.cure = CURE_NONE;
  }
}

static uint8_t set_parameters(size_t length, size_t least, bool active) {
  if (controller.scan != SCAN_OFF) return COMMAND_DISALLOWED;
  if (length < least) return INVALID_PARAMETERS;
  controller.active_scan = active;
  controller.has_parameters = true;
  return SUCCESS;
}

static uint8_t set_scan(enum scan scan, bool on, bool filter) {
  if (on && !controller.has_parameters && scan == SCAN_EXTENDED) return COMMAND_DISALLOWED;
  controller.scan = on ? scan : SCAN_OFF;
  controller.filter = filter && !options.no_filter;
  if (on) {
    cure(CURE_RESCAN);
    forget_duplicates();
  }
  return SUCCESS;
}

/* Since its reset a controller takes legacy or extended advertising and scan commands, not both.
   Source: Core Specification, Vol 4, Part E, 3.1.1. */
static bool is_other_family(uint16_t opcode) {
  enum scan family;
  if (opcode == 0x2006 || (opcode >= 0x2008 && opcode <= 0x200d)) {
    family = SCAN_LEGACY;
  } else if ((opcode >= 0x2035 && opcode <= 0x2039) || (opcode >= 0x203c && opcode <= 0x2043)) {
    family = SCAN_EXTENDED;
  } else {
    return false;
  }
  if (controller.family == SCAN_OFF) controller.family = family;
  return controller.family != family && !options.mixed;
}

/* The command's name; *status is what to complete it with, unless it has been answered. */
static const char *run_command(
  uint16_t opcode, const uint8_t *values, size_t length, uint8_t *status, bool *is_answered) {
  *status = SUCCESS;
  *is_answered = false;
  if (options.extended && is_other_family(opcode)) {
    *status = COMMAND_DISALLOWED;
    return "legacy and extended commands mixed";
  }
  if (!options.extended && opcode >= 0x2035 && opcode <= 0x204b) {
    *status = UNKNOWN_COMMAND;
    return "extended command, legacy controller";
  }
  switch (opcode) {
    case 0x0c03:
      controller.scan = controller.family = SCAN_OFF;
      controller.has_parameters = false;
      cure(CURE_RESET);
      return "Reset";
    case 0x1001: {
      /* Bluetooth 5.2 or 4.2; company 0x05f1 is The Linux Foundation. */
      uint8_t version = options.extended ? 0x0b : 0x08;
      uint8_t answer[9] = {0, version, 1, 0, version, 0xf1, 0x05, 1, 0};
      complete(opcode, answer, sizeof answer);
      *is_answered = true;
      return "Read Local Version";
    }
    case 0x1002:
      complete_supported_commands(opcode);
      *is_answered = true;
      return "Read Local Supported Commands";
    case 0x1003: {
      /* BR/EDR not supported, LE supported. */
      uint8_t answer[9] = {0, 0, 0, 0, 0, 0x60, 0, 0, 0};
      complete(opcode, answer, sizeof answer);
      *is_answered = true;
      return "Read Local Supported Features";
    }
    case 0x1009: {
      uint8_t answer[7] = {0};
      memcpy(answer + 1, options.address, 6);
      complete(opcode, answer, sizeof answer);
      *is_answered = true;
      return "Read BD_ADDR";
    }
    case 0x2003: {
      uint8_t answer[9] = {0, 0x00, options.extended ? 0x10 : 0x00};
      complete(opcode, answer, sizeof answer);
      *is_answered = true;
      return "LE Read Local Supported Features";
    }
    case 0x200b:
      *status = set_parameters(length, 7, length && values[0] == 1);
      return "LE Set Scan Parameters";
    case 0x200c:
      *status = length < 2 ? INVALID_PARAMETERS : set_scan(SCAN_LEGACY, values[0], values[1]);
      return "LE Set Scan Enable";
    case 0x2041:
      *status = set_parameters(length, 8, length > 3 && values[3] == 1);
      return "LE Set Extended Scan Parameters";
    case 0x2042:
      *status = length < 6 ? INVALID_PARAMETERS : set_scan(SCAN_EXTENDED, values[0], values[1]);
      return "LE Set Extended Scan Enable";
    case 0x0406:
    case 0x200d:
      refuse_start(opcode);
      *is_answered = true;
      return opcode == 0x0406 ? "Disconnect" : "LE Create Connection";
  }
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
    if (plain[i].opcode == opcode) return plain[i].name;
  }
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    if (fixed[i].opcode == opcode) {
      complete(opcode, fixed[i].values, fixed[i].length);
      *is_answered = true;
      return fixed[i].name;
    }
  }
  *status = UNKNOWN_COMMAND;
  return "not implemented";
}

/* ---- Faults ---- */

bool set_fault(int opcode, enum fault_kind kind, uint8_t status) {
  int kept = 0;
  for (int i = 0; i < fault_count; i++) {
    if (faults[i].opcode != opcode && opcode != ALL_COMMANDS) faults[kept++] = faults[i];
  }
  fault_count = kept;
  if (kind == FAULT_NONE) return true;
  if (fault_count == MAX_FAULTS) return false;
  faults[fault_count++] = (struct fault){opcode, kind, status};
  return true;
}

static const struct fault *fault_of(uint16_t opcode) {
  for (int i = 0; i < fault_count; i++) {
    if (faults[i].opcode == opcode || faults[i].opcode == ALL_COMMANDS) return &faults[i];
  }
  return NULL;
}

/* ---- Reading ---- */

static const char *hex(const uint8_t *octets, size_t count) {
  static char text[2 * 255 + 1];
  if (count > 255) count = 255;
  for (size_t i = 0; i < count; i++) snprintf(text + 2 * i, 3, "%02x", octets[i]);
  text[2 * count] = 0;
  return text;
}

void read_command(void) {
  uint8_t packet[2048];
  ssize_t size = read(controller.file, packet, sizeof packet);
  if (size < 4 || packet[0] != H4_COMMAND) return;
  uint16_t opcode = (uint16_t)(packet[1] | packet[2] << 8);
  const uint8_t *values = packet + 4;
  size_t length = (size_t)size - 4;
  stats.commands++;

  const struct fault *fault = fault_of(opcode);
  if (fault) {
    say("cmd %04x %s -> %s", opcode, hex(values, length), fault->kind == FAULT_MUTE ? "muted" : "scripted failure");
    if (fault->kind == FAULT_STATUS) complete(opcode, &fault->status, 1);
    return;
  }
  uint8_t status;
  bool is_answered;
  const char *name = run_command(opcode, values, length, &status, &is_answered);
  say("cmd %04x [%s] %s%s", opcode, name, hex(values, length), status ? " -> refused" : "");
  if (!is_answered) complete(opcode, &status, 1);
}
