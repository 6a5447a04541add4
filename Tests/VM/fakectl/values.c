/* The values in script lines. Scripts are typed by people: each value is checked, with its limits. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fakectl.h"

const char *parse_error;

bool fail(const char *why) {
  parse_error = why;
  return false;
}

bool parse_number(const char *text, int base, long least, long most, long *value) {
  char *end;
  errno = 0;
  *value = strtol(text, &end, base);
  if (end == text || *end || errno) return fail("not a number");
  if (*value < least || *value > most) return fail("number out of range");
  return true;
}

bool parse_real(const char *text, double least, double most, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end == text || *end || !isfinite(*value)) return fail("not a number");
  if (*value < least || *value > most) return fail("number out of range");
  return true;
}

/* Pairs of digits; hyphens and colons between them are passed over. */
bool parse_hex(const char *text, uint8_t *octets, size_t most, size_t *count) {
  *count = 0;
  while (*text) {
    if (*text == '-' || *text == ':') {
      text++;
      continue;
    }
    if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1])) return fail("not hexadecimal");
    if (*count == most) return fail("too many octets");
    char digits[3] = {text[0], text[1], 0};
    octets[(*count)++] = (uint8_t)strtoul(digits, NULL, 16);
    text += 2;
  }
  return true;
}

bool parse_duration(const char *text, usec_t *duration) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || !isfinite(value)) return fail("not a duration");
  if (!strcmp(end, "ms")) {
    value *= 1e3;
  } else if (!strcmp(end, "s") || !*end) {
    value *= 1e6;
  } else if (strcmp(end, "us")) {
    return fail("a duration's unit is us, ms or s");
  }
  /* A year is longer than any test. */
  if (value < 0 || value > 3e13) return fail("duration out of range");
  *duration = (usec_t)value;
  return true;
}

bool parse_address(const char *text, uint8_t address[6], uint8_t *type) {
  char digits[18] = "";
  uint8_t octets[6];
  size_t count, length = strcspn(text, "/");
  if (length != 17) return fail("an address is AA:BB:CC:DD:EE:FF[/public|/random]");
  memcpy(digits, text, length);
  if (!parse_hex(digits, octets, 6, &count)) return false;
  if (count != 6) return fail("an address has six octets");
  for (int i = 0; i < 6; i++) address[i] = octets[5 - i];
  if (text[length] && strcmp(text + length, "/random") && strcmp(text + length, "/public"))
    return fail("an address is public or random");
  *type = strcmp(text + length, "/public") != 0;
  return true;
}

/* ---- Levels ---- */

bool parse_level(const char *text, struct level *level) {
  char *end;
  long from = strtol(text, &end, 10), other = from;
  *level = (struct level){0};
  if (end == text) return fail("a level is DBM, DBM~SPREAD or DBM..DBM/PERIOD");
  if (*end == '~') {
    other = strtol(end + 1, &end, 10);
    if (*end || other < 0 || other > 100) return fail("a spread is 0 to 100");
    level->spread = (int)other;
    other = from;
  } else if (end[0] == '.' && end[1] == '.') {
    other = strtol(end + 2, &end, 10);
    if (*end != '/') return fail("a ramp is DBM..DBM/PERIOD");
    if (!parse_duration(end + 1, &level->period)) return false;
    if (!level->period) return fail("a ramp takes time");
  } else if (*end) {
    return fail("a level is DBM, DBM~SPREAD or DBM..DBM/PERIOD");
  }
  /* Source: Core Specification, Vol 4, Part E, 7.7.65.2: -127 to 20 dBm, 127 for "not available". */
  if (from < -127 || from > 127 || other < -127 || other > 127) return fail("level out of range");
  level->from = (int)from;
  level->to = (int)other;
  return true;
}

int8_t level_at(const struct level *level, usec_t time) {
  int value = level->from;
  if (level->period) {
    double phase = (double)(time % level->period) / (double)level->period;
    double way = phase < 0.5 ? 2 * phase : 2 - 2 * phase;
    value = (int)lround(level->from + (level->to - level->from) * way);
  }
  if (level->spread) {
    value += (int)(random() % (2 * level->spread + 1)) - level->spread;
    if (value > 20) value = 20;
  }
  return (int8_t)(value < -127 ? -127 : value);
}

/* ---- Advertisements ---- */

void put_big_endian(uint8_t *octets, uint64_t value, int count) {
  for (int i = 0; i < count; i++) octets[i] = (uint8_t)(value >> (8 * (count - 1 - i)));
}

/* Splits "a,b,c" in place; the number of fields, also those that are more than `most`. */
static int split(char *text, char **fields, int most) {
  int count = 0;
  for (char *field; (field = strsep(&text, ",")); count++) {
    if (count < most) fields[count] = field;
  }
  return count;
}

static bool parse_octets(const char *text, uint8_t *octets, size_t count) {
  size_t found;
  if (!parse_hex(text, octets, count, &found)) return false;
  return found == count || fail("too few octets");
}

static bool parse_octet(const char *text, long least, long most, uint8_t *octet) {
  long value;
  if (!parse_number(text, 0, least, most, &value)) return false;
  *octet = (uint8_t)value;
  return true;
}

static bool parse_unsigned(const char *text, int count, uint8_t *octets) {
  long value;
  if (!parse_number(text, 0, 0, (1L << (8 * count)) - 1, &value)) return false;
  put_big_endian(octets, (uint64_t)value, count);
  return true;
}

static bool ibeacon(char **fields, uint8_t *data, uint16_t *length) {
  static const uint8_t head[] = {2, 1, 6, 0x1a, 0xff, 0x4c, 0, 2, 0x15};
  memcpy(data, head, sizeof head);
  *length = 30;
  return parse_octets(fields[0], data + 9, 16) && parse_unsigned(fields[1], 2, data + 25) &&
         parse_unsigned(fields[2], 2, data + 27) && parse_octet(fields[3], -128, 127, data + 29);
}

static bool altbeacon(char **fields, uint8_t *data, uint16_t *length) {
  uint8_t company[2];
  if (!parse_unsigned(fields[0], 2, company)) return false;
  uint8_t head[] = {0x1b, 0xff, company[1], company[0], 0xbe, 0xac};
  memcpy(data, head, sizeof head);
  *length = 28;
  return parse_octets(fields[1], data + 6, 20) && parse_octet(fields[2], -128, 127, data + 26) &&
         parse_octet(fields[3], 0, 255, data + 27);
}

/* An Eddystone frame, whose octets follow. */
static uint8_t *eddystone(uint8_t *data, uint16_t *length, size_t size) {
  uint8_t head[] = {2, 1, 6, 3, 3, 0xaa, 0xfe, (uint8_t)(size + 3), 0x16, 0xaa, 0xfe};
  memcpy(data, head, sizeof head);
  *length = (uint16_t)(sizeof head + size);
  return data + sizeof head;
}

static bool uid(char **fields, uint8_t *data, uint16_t *length) {
  uint8_t *frame = eddystone(data, length, 20);
  memset(frame, 0, 20);
  return parse_octet(fields[0], -128, 127, frame + 1) && parse_octets(fields[1], frame + 2, 10) &&
         parse_octets(fields[2], frame + 12, 6);
}

static bool url(char **fields, uint8_t *data, uint16_t *length) {
  uint8_t octets[18];
  size_t count;
  if (!parse_hex(fields[1], octets, sizeof octets, &count)) return false;
  uint8_t *frame = eddystone(data, length, 2 + count);
  frame[0] = 0x10;
  memcpy(frame + 2, octets, count);
  return parse_octet(fields[0], -128, 127, frame + 1);
}

static bool tlm(char **fields, uint8_t *data, uint16_t *length) {
  uint8_t *frame = eddystone(data, length, 14);
  double celsius;
  frame[0] = 0x20;
  frame[1] = 0;
  if (!parse_real(fields[1], -128, 127.9, &celsius)) return false;
  put_big_endian(frame + 4, (uint64_t)(int64_t)(celsius * 256), 2);
  return parse_unsigned(fields[0], 2, frame + 2) && parse_unsigned(fields[2], 4, frame + 6) &&
         parse_unsigned(fields[3], 4, frame + 10);
}

static const struct {
  const char *name, *form;
  int fields;
  bool (*parse)(char **fields, uint8_t *data, uint16_t *length);
} frames[] = {
  {"ibeacon", "ibeacon:UUID,MAJOR,MINOR,POWER", 4, ibeacon},
  {"altbeacon", "altbeacon:COMPANY,ID,POWER,RESERVED, with an ID of 20 octets", 4, altbeacon},
  {"uid", "uid:POWER,NAMESPACE,INSTANCE, of 10 and 6 octets", 3, uid},
  {"url", "url:POWER,HEX, of 18 octets at most", 2, url},
  {"tlm", "tlm:MILLIVOLTS,CELSIUS,COUNT,DECISECONDS", 4, tlm},
};

bool parse_data(const char *text, uint8_t data[MAX_DATA], uint16_t *length) {
  size_t name = strcspn(text, ":"), count;
  /* 02:01:06 is hexadecimal, too. */
  if (!text[name] || name == 2) {
    if (!parse_hex(text, data, MAX_DATA, &count)) return false;
    *length = (uint16_t)count;
    return true;
  }
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    if (strlen(frames[i].name) != name || strncmp(text, frames[i].name, name)) continue;
    char copy[256], *fields[4];
    if (strlen(text + name + 1) >= sizeof copy) return fail(frames[i].form);
    strcpy(copy, text + name + 1);
    if (split(copy, fields, 4) != frames[i].fields) return fail(frames[i].form);
    return frames[i].parse(fields, data, length);
  }
  return fail("unknown frame name");
}
