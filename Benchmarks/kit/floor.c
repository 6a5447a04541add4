/* The least that a program must do to read beacons from a capture, as a measure for beacond.
 *
 * usage: floor walk|parse|range|lines CAPTURE [OUT]
 *
 *   walk   the btsnoop records' headers
 *   parse  also HCI events, advertising reports, AD structures and frames, into registers
 *   range  also a table of beacons, each with a one-mode Kalman filter of its level, and once a second a JSON line of the
 *          distance of each that was heard in it, written to OUT
 *   lines  as parse, and one JSON line a frame, written to OUT
 *
 * It checks no more than it needs to stay within the capture, and knows one container (btsnoop 1002 and 2001).
 * Prints one JSON object; only the pass over the mapped capture is timed: user and system time, in nanoseconds a report.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum mode { WALK, PARSE, RANGE, LINES };
enum kind { IBEACON, ALTBEACON, UID, URL, TLM, EID, KINDS };

static const char *const names[KINDS] = {
  "ibeacon", "altbeacon", "eddystone-uid", "eddystone-url", "eddystone-tlm", "eddystone-eid",
};

static enum mode mode;
static uint64_t counts[KINDS], records, reports;
/* Made of what was read, so that the compiler leaves nothing out. */
static uint64_t sum;

struct frame {
  uint8_t kind, id_length, address[6];
  int8_t rssi, power;
  const uint8_t *id;
};

static inline uint16_t be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }

static inline uint32_t be32(const uint8_t *p) {
  uint32_t value;
  memcpy(&value, p, 4);
  return __builtin_bswap32(value);
}

static inline uint64_t be64(const uint8_t *p) {
  uint64_t value;
  memcpy(&value, p, 8);
  return __builtin_bswap64(value);
}

/* ---- Lines ---- */

enum { CAPACITY = 1 << 16, LONGEST_LINE = 1024 };
static char out[CAPACITY];
static size_t waiting;
static int out_descriptor = -1;
static uint16_t hex_digits[256];

static void flush(void) {
  for (size_t written = 0; written < waiting;) {
    ssize_t n = write(out_descriptor, out + written, waiting - written);
    if (n <= 0) exit(3);
    written += (size_t)n;
  }
  waiting = 0;
}

static inline void put(const char *text, size_t length) {
  memcpy(out + waiting, text, length);
  waiting += length;
}
#define PUT(literal) put(literal, sizeof(literal) - 1)

static inline void put_decimal(uint64_t value) {
  char digits[20];
  int i = 20;
  do digits[--i] = (char)('0' + value % 10);
  while (value /= 10);
  put(digits + i, (size_t)(20 - i));
}

static inline void put_signed(int64_t value) {
  if (value < 0) {
    PUT("-");
    value = -value;
  }
  put_decimal((uint64_t)value);
}

static void make_hex_digits(void) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 256; i++) hex_digits[i] = (uint16_t)(digits[i >> 4] | digits[i & 15] << 8);
}

static inline void put_hex(const uint8_t *octets, int count) {
  for (int i = 0; i < count; i++) memcpy(out + waiting + 2 * i, &hex_digits[octets[i]], 2);
  waiting += 2 * (size_t)count;
}

static inline void put_time(int64_t microseconds) {
  put_decimal((uint64_t)(microseconds / 1000000));
  PUT(".");
  uint32_t fraction = (uint32_t)(microseconds % 1000000);
  for (int i = 5; i >= 0; i--) {
    out[waiting + (size_t)i] = (char)('0' + fraction % 10);
    fraction /= 10;
  }
  waiting += 6;
}

static void put_identity(const struct frame *frame) {
  const uint8_t *id = frame->id;
  if (frame->kind == IBEACON) {
    PUT(",\"uuid\":\"");
    put_hex(id, 4);
    PUT("-");
    put_hex(id + 4, 2);
    PUT("-");
    put_hex(id + 6, 2);
    PUT("-");
    put_hex(id + 8, 2);
    PUT("-");
    put_hex(id + 10, 6);
    PUT("\",\"major\":");
    put_decimal(be16(id + 16));
    PUT(",\"minor\":");
    put_decimal(be16(id + 18));
  } else {
    PUT(",\"id\":\"");
    put_hex(id, frame->id_length);
    PUT("\"");
  }
}

static void put_line(const struct frame *frame, int64_t microseconds) {
  PUT("{\"event\":\"sighting\",\"time\":");
  put_time(microseconds);
  PUT(",\"type\":\"");
  put(names[frame->kind], strlen(names[frame->kind]));
  PUT("\",\"address\":\"");
  for (int i = 5; i >= 0; i--) {
    put_hex(frame->address + i, 1);
    if (i) PUT(":");
  }
  PUT("\",\"rssi\":");
  put_signed(frame->rssi);
  PUT(",\"power\":");
  put_signed(frame->power);
  put_identity(frame);
  PUT("}\n");
  if (waiting > CAPACITY - LONGEST_LINE) flush();
}

/* ---- Ranging ---- */

struct beacon {
  uint8_t id[20], kind, id_length;
  int8_t power;
  int64_t heard;
  uint64_t packets;
  double level, variance;
  uint32_t of_second;
};

/* More than the capture has beacons, and a power of two: nothing is ever evicted. */
enum { PLACES = 4096 };
static struct beacon beacons[PLACES];
static uint32_t heard[PLACES], heard_count;
static int64_t second;

static inline uint64_t hash(const uint8_t *id, uint8_t kind) {
  uint64_t a, b;
  uint32_t c;
  memcpy(&a, id, 8);
  memcpy(&b, id + 8, 8);
  memcpy(&c, id + 16, 4);
  uint64_t h = (a ^ 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
  h ^= h >> 32;
  h = (h ^ b) * 0xc4ceb9fe1a85ec53u;
  h ^= h >> 29;
  h = (h ^ c ^ (uint64_t)kind << 40) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static inline struct beacon *find(const uint8_t *id, const struct frame *frame) {
  for (uint32_t place = hash(id, frame->kind) % PLACES;; place = (place + 1) % PLACES) {
    struct beacon *beacon = &beacons[place];
    if (!beacon->id_length) {
      memcpy(beacon->id, id, 20);
      beacon->kind = frame->kind;
      beacon->id_length = frame->id_length;
      return beacon;
    }
    if (beacon->kind == frame->kind && !memcmp(beacon->id, id, 20)) return beacon;
  }
}

static inline void put_hundredths(double value) {
  int64_t hundredths = (int64_t)(value * 100 + (value < 0 ? -0.5 : 0.5));
  if (hundredths < 0) {
    PUT("-");
    hundredths = -hundredths;
  }
  put_decimal((uint64_t)(hundredths / 100));
  out[waiting++] = '.';
  out[waiting++] = (char)('0' + hundredths / 10 % 10);
  out[waiting++] = (char)('0' + hundredths % 10);
}

static void end_second(void) {
  for (uint32_t i = 0; i < heard_count; i++) {
    struct beacon *beacon = &beacons[heard[i]];
    struct frame frame = {.kind = beacon->kind, .id_length = beacon->id_length, .id = beacon->id};
    PUT("{\"event\":\"range\",\"time\":");
    put_decimal((uint64_t)second);
    PUT(",\"type\":\"");
    put(names[frame.kind], strlen(names[frame.kind]));
    PUT("\"");
    put_identity(&frame);
    PUT(",\"rssi\":");
    put_hundredths(beacon->level);
    PUT(",\"distance\":");
    put_hundredths(pow(10.0, (beacon->power - beacon->level) / 22.0));
    PUT(",\"samples\":");
    put_decimal(beacon->of_second);
    PUT("}\n");
    if (waiting > CAPACITY - LONGEST_LINE) flush();
    beacon->of_second = 0;
  }
  heard_count = 0;
}

static inline void range(const struct frame *frame, int64_t microseconds) {
  if (microseconds / 1000000 != second) {
    end_second();
    second = microseconds / 1000000;
  }
  uint8_t id[20] = {0};
  memcpy(id, frame->id, frame->id_length);
  struct beacon *beacon = find(id, frame);
  if (!beacon->packets++) {
    beacon->level = frame->rssi;
    beacon->variance = 10;
  } else {
    double elapsed = (double)(microseconds - beacon->heard) * 1e-6;
    double variance = beacon->variance + 0.5 * (elapsed > 10 ? 10 : elapsed);
    double gain = variance / (variance + 12);
    beacon->level += gain * (frame->rssi - beacon->level);
    beacon->variance = (1 - gain) * variance;
  }
  beacon->heard = microseconds;
  beacon->power = frame->power;
  if (!beacon->of_second++) heard[heard_count++] = (uint32_t)(beacon - beacons);
}

/* ---- Decoding ---- */

static inline void take_frame(const struct frame *frame, int64_t microseconds) {
  counts[frame->kind]++;
  sum += frame->id[0] + frame->id[frame->id_length - 1] + (uint8_t)frame->rssi;
  if (mode == RANGE) range(frame, microseconds);
  if (mode == LINES) put_line(frame, microseconds);
}

static inline void take_data(
  const uint8_t *p, const uint8_t *end, const uint8_t *address, int8_t rssi, int64_t microseconds) {
  struct frame frame = {.rssi = rssi};
  while (p < end) {
    unsigned length = *p;
    if (!length || (size_t)(end - p) < length + 1u) return;
    unsigned type = p[1];
    const uint8_t *data = p + 2;
    p += length + 1;
    if (type == 0xff) {
      if (length >= 26 && data[2] == 0x02 && data[3] == 0x15 && data[0] == 0x4c && data[1] == 0) {
        frame.kind = IBEACON;
      } else if (length >= 27 && data[2] == 0xbe && data[3] == 0xac) {
        frame.kind = ALTBEACON;
      } else {
        continue;
      }
      frame.id = data + 4;
      frame.id_length = 20;
      frame.power = (int8_t)data[24];
    } else if (type == 0x16 && length >= 4 && data[0] == 0xaa && data[1] == 0xfe) {
      unsigned size = length - 3;
      data += 2;
      frame.power = 0;
      if (data[0] == 0x00 && size >= 18) {
        frame.kind = UID;
        frame.id = data + 2;
        frame.id_length = 16;
        frame.power = (int8_t)(data[1] - 41);
      } else if (data[0] == 0x10 && size >= 3) {
        frame.kind = URL;
        frame.id = data + 2;
        frame.id_length = (uint8_t)(size - 2 > 20 ? 20 : size - 2);
        frame.power = (int8_t)(data[1] - 41);
      } else if (data[0] == 0x20 && size >= 14) {
        frame.kind = TLM;
        frame.id = address;
        frame.id_length = 6;
      } else if (data[0] == 0x30 && size >= 10) {
        frame.kind = EID;
        frame.id = data + 2;
        frame.id_length = 8;
        frame.power = (int8_t)(data[1] - 41);
      } else {
        continue;
      }
    } else {
      continue;
    }
    memcpy(frame.address, address, 6);
    take_frame(&frame, microseconds);
  }
}

/* An event packet from its code on. */
static inline void take_event(const uint8_t *p, const uint8_t *end, int64_t microseconds) {
  if (end - p < 4 || p[0] != 0x3e || p[1] + 2 > end - p) return;
  end = p + 2 + p[1];
  unsigned subevent = p[2], left = p[3];
  p += 4;
  if (subevent == 0x02) {
    for (; left; left--) {
      if (end - p < 10) return;
      unsigned length = p[8];
      if ((unsigned)(end - p) < 10 + length) return;
      reports++;
      take_data(p + 9, p + 9 + length, p + 2, (int8_t)p[9 + length], microseconds);
      p += 10 + length;
    }
  } else if (subevent == 0x0d) {
    for (; left; left--) {
      if (end - p < 24) return;
      unsigned length = p[23];
      if ((unsigned)(end - p) < 24 + length) return;
      reports++;
      take_data(p + 24, p + 24 + length, p + 3, (int8_t)p[13], microseconds);
      p += 24 + length;
    }
  }
}

static void take_capture(const uint8_t *p, const uint8_t *end) {
  /* btsnoop counts microseconds from the year 0: this many to 1970. */
  const int64_t epoch = 0x00dcddb30f2f8000;
  int is_monitor = be32(p + 12) == 2001;
  p += 16;
  while (end - p >= 24) {
    uint32_t length = be32(p + 4), flags = be32(p + 8);
    int64_t microseconds = (int64_t)be64(p + 16) - epoch;
    const uint8_t *data = p + 24;
    if ((size_t)(end - data) < length) break;
    records++;
    p = data + length;
    if (mode == WALK) {
      sum += length;
    } else if (is_monitor) {
      if ((flags & 0xffff) == 3) take_event(data, p, microseconds);
    } else if (length && data[0] == 4) {
      take_event(data + 1, p, microseconds);
    }
  }
  if (mode == RANGE) end_second();
  if (mode >= RANGE) flush();
}

static double cpu_nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  static const char *const modes[] = {"walk", "parse", "range", "lines"};
  int known = 0;
  for (int i = 0; argc >= 3 && i < 4; i++) {
    if (!strcmp(argv[1], modes[i])) {
      mode = (enum mode)i;
      known = 1;
    }
  }
  if (!known || (mode >= RANGE && argc < 4)) {
    fputs("usage: floor walk|parse|range|lines CAPTURE [OUT]\n", stderr);
    return 64;
  }
  int capture = open(argv[2], O_RDONLY);
  struct stat status;
  if (capture < 0 || fstat(capture, &status) || status.st_size < 16) return 66;
  size_t size = (size_t)status.st_size;
  const uint8_t *octets = mmap(0, size, PROT_READ, MAP_PRIVATE, capture, 0);
  if (octets == MAP_FAILED) return 66;
  madvise((void *)octets, size, MADV_SEQUENTIAL);
  if (mode >= RANGE) out_descriptor = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  make_hex_digits();

  double start = cpu_nanoseconds();
  take_capture(octets, octets + size);
  double spent = cpu_nanoseconds() - start;

  printf(
    "{\"mode\":\"%s\",\"records\":%llu,\"reports\":%llu,\"nanoseconds\":%.3f,\"sum\":%llu", argv[1],
    (unsigned long long)records, (unsigned long long)reports, spent / (double)(reports ? reports : records),
    (unsigned long long)sum);
  for (int i = 0; i < KINDS; i++) printf(",\"%s\":%llu", names[i], (unsigned long long)counts[i]);
  puts("}");
  return 0;
}
