/* A scriptable Bluetooth LE controller behind /dev/vhci; see main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Microseconds on the monotonic clock, or a span of them. */
typedef uint64_t usec_t;

enum {
  /* An advertisement's data in all fragments, and in one. Source: Core Specification, Vol 4, Part E, 7.7.65.13. */
  MAX_DATA = 1650,
  MAX_FRAGMENT = 229,
};

struct options {
  uint8_t address[6]; /* little endian, as on the wire */
  bool extended;      /* offers extended scanning and advertising */
  bool deaf;          /* takes extended scan commands, and reports nothing by them */
  bool mixed;         /* takes legacy and extended commands by turns */
  bool no_filter;     /* reports duplicates even when told to filter them */
  bool check;         /* only checks scripts: there is no controller */
  FILE *log;
};
extern struct options options;

struct stats {
  uint64_t injected, no_scan, stalled, duplicate, refused, commands;
};
extern struct stats stats;

/* ---- main.c ---- */

usec_t now(void);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- controller.c: HCI commands and their answers ---- */

enum scan { SCAN_OFF, SCAN_LEGACY, SCAN_EXTENDED };

/* What ends a stall beside its time. */
enum cure { CURE_NONE, CURE_RESCAN, CURE_RESET };

struct controller {
  int file;  /* -1 while unplugged */
  int index; /* of hciN */
  enum scan scan;
  bool active_scan, filter, has_parameters;
  enum scan family; /* of the first advertising or scan command since the reset */
  /* Nothing is reported until then, or until the cure. */
  usec_t stalled_until;
  enum cure cure;
};
extern struct controller controller;

void plug(bool elsewhere);
void unplug(void);
void read_command(void);
/* False when the kernel refused it (the adapter is down) or there is no adapter. */
bool send_event(uint8_t code, const uint8_t *parameters, size_t length);

enum fault_kind { FAULT_NONE, FAULT_STATUS, FAULT_MUTE };
enum { ALL_COMMANDS = -1 };
/* Answers a command (an opcode, or ALL_COMMANDS) with a status, or not at all. False when there are too many faults. */
bool set_fault(int opcode, enum fault_kind kind, uint8_t status);

/* ---- reports.c: advertising reports, from scripts and captures ---- */

enum form { FORM_AUTO, FORM_LEGACY, FORM_EXTENDED };

struct report {
  uint8_t address[6], address_type;
  uint16_t event_type; /* of an extended report; bit 4 marks legacy PDUs */
  int8_t rssi, tx_power;
  uint8_t primary_phy, secondary_phy, sid;
  enum form form;
  uint16_t length;
  uint8_t data[MAX_DATA];
};

/* A PDU type's extended event type by its name in scripts. */
bool parse_pdu_type(const char *name, uint16_t *event_type);
/* Reports it if the host scans, in the form that the host asked for. */
void inject(const struct report *report);
void forget_duplicates(void);

/* An error's text, NULL when the replay has begun. */
const char *start_replay(const char *path, double speed);
/* Reports what is due, and says when the next is due in `wake`; false when the capture is at its end. */
bool replay(usec_t time, usec_t *wake);

/* ---- values.c: the values in script lines ---- */

/* A level in dBm: fixed, with a uniform spread, or as a triangle between two. */
struct level {
  int from, to, spread;
  usec_t period;
};

/* Each takes a text and is false, with parse_error set, when it is none. */
extern const char *parse_error;
bool fail(const char *why);
bool parse_number(const char *text, int base, long least, long most, long *value);
bool parse_real(const char *text, double least, double most, double *value);
bool parse_hex(const char *text, uint8_t *octets, size_t most, size_t *count);
bool parse_duration(const char *text, usec_t *duration);
bool parse_address(const char *text, uint8_t address[6], uint8_t *type);
bool parse_level(const char *text, struct level *level);
bool parse_data(const char *text, uint8_t data[MAX_DATA], uint16_t *length);
int8_t level_at(const struct level *level, usec_t time);
void put_big_endian(uint8_t *octets, uint64_t value, int count);

/* ---- script.c: lines, beacons, what a script waits for ---- */

extern const char script_usage[];
extern int exit_code; /* -1 until a line asks for the end */

void add_line(const char *line, const char *place, int number);
void load_script(const char *path);
/* One line that is not part of a script. */
void run_line(const char *line, const char *place, int number);
/* Runs what is due of scripts and beacons; returns when to be called again. */
usec_t run_script(usec_t time);
/* Whether a line still waits, or lines are left. */
bool script_is_busy(void);
bool has_beacons(void);
void say_stats(void);
/* Checks every line without a controller; the number of bad ones. */
int check_script(void);
