/* Tries each way into the Linux Bluetooth stack and prints what every step gave, errors by name. The cases of Tests/VM
   hold docs/linux-bluetooth.md against the kernel with it. `hciprobe --help` has the options. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Source: the kernel's include/net/bluetooth/hci_sock.h; libbluetooth-dev need not be there to build this. */
#define BTPROTO_HCI 1
#define SOL_HCI 0
#define HCI_FILTER 2
#define HCIDEVUP _IOW('H', 201, int)
#define HCIDEVDOWN _IOW('H', 202, int)
#define HCIGETDEVLIST _IOR('H', 210, int)
#define HCIGETDEVINFO _IOR('H', 211, int)
#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif
/* Source: enum in the kernel's include/net/sock.h, SK_MEMINFO_DROPS. */
enum { DROPS = 8 };
enum { CHANNEL_RAW = 0, CHANNEL_USER = 1, CHANNEL_MONITOR = 2, CHANNEL_CONTROL = 3 };
enum { NO_DEVICE = 0xffff };

struct sockaddr_hci {
  sa_family_t family;
  uint16_t device, channel;
};

struct hci_filter {
  uint32_t types, events[2];
  uint16_t opcode;
};

static const char usage[] =
  "usage: hciprobe raw|user|monitor [options]      reports and events of HCI_CHANNEL_RAW, _USER, _MONITOR\n"
  "       hciprobe mgmt [options] COMMAND[=HEX]... commands of HCI_CHANNEL_CONTROL, then its events\n"
  "       hciprobe ioctl [-i N] up|down|info|list...\n"
  "  -i N  the adapter (65535: none)         -E  extended scan commands\n"
  "  -t S  listen for so long (3)            -a  active scan\n"
  "  -n N  end after so many reports         -d  ask for the duplicate filter\n"
  "  -N    only listen, no scan commands     -q  no line for a report\n"
  "  -F    count the numbers of a flood      -p S  listen late: read nothing for so long\n"
  "SIGTERM ends the listening; the scan is then disabled as at the end of the time.\n";

static struct {
  int device;
  double seconds, delay;
  unsigned long count;
  bool listens_only, extended, active, filter, quiet, numbered;
} options = {.seconds = 3};

static uint64_t start;
static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal) {
  (void)signal;
  is_interrupted = 1;
}

/* ---- Steps ---- */

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void stamp(void) { printf("%9.3f ", (double)(now() - start) / 1e6); }

/* Prints what a system call gave; false where that is an error. */
static bool step(const char *what, long result) {
  int error = errno;
  stamp();
  if (result < 0) {
    printf("%s -> %s (%d, %s)\n", what, strerrorname_np(error), error, strerror(error));
  } else {
    printf("%s -> ok (%ld)\n", what, result);
  }
  return result >= 0;
}

static void print_octets(const uint8_t *octets, ssize_t count) {
  for (ssize_t i = 0; i < count; i++) printf(" %02x", octets[i]);
  putchar('\n');
}

static int open_channel(int device, int channel) {
  struct sockaddr_hci address = {AF_BLUETOOTH, (uint16_t)device, (uint16_t)channel};
  char what[64];
  int file = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
  if (!step("socket", file)) return -1;
  snprintf(what, sizeof what, "bind(device=%d, channel=%d)", device, channel);
  if (step(what, bind(file, (struct sockaddr *)&address, sizeof address))) return file;
  close(file);
  return -1;
}

/* What is left until `end`, for poll; 0 when it is past. */
static int milliseconds_until(uint64_t end) {
  uint64_t time = now();
  return is_interrupted || time >= end ? 0 : (int)((end - time + 999) / 1000);
}

/* ---- HCI commands ---- */

/* The command's status; -1 without an answer. */
static int command(int file, const char *name, uint16_t opcode, const void *values, uint8_t length) {
  uint8_t packet[512] = {1, (uint8_t)opcode, (uint8_t)(opcode >> 8), length};
  char what[96];
  if (length) memcpy(packet + 4, values, length);
  snprintf(what, sizeof what, "write %s (0x%04x)", name, opcode);
  if (!step(what, write(file, packet, 4u + length))) return -1;

  uint64_t end = now() + 3000000;
  for (;;) {
    struct pollfd poll_file = {.fd = file, .events = POLLIN};
    uint64_t time = now();
    if (time >= end || poll(&poll_file, 1, (int)((end - time + 999) / 1000)) == 0) {
      stamp();
      printf("%s: no answer within 3 s\n", name);
      return -1;
    }
    ssize_t size = read(file, packet, sizeof packet);
    if (size < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      step("read", size);
      return -1;
    }
    if (size >= 7 && packet[0] == 4 && packet[1] == 0x0e && (packet[4] | packet[5] << 8) == opcode) {
      stamp();
      printf("%s: Command Complete, status 0x%02x\n", name, packet[6]);
      return packet[6];
    }
    if (size >= 7 && packet[0] == 4 && packet[1] == 0x0f && (packet[5] | packet[6] << 8) == opcode) {
      stamp();
      printf("%s: Command Status 0x%02x\n", name, packet[3]);
      return packet[3];
    }
  }
}

/* Parameters and enable, with interval and window of 10 ms. */
static void set_scan(int file, bool on) {
  if (options.extended) {
    uint8_t parameters[] = {0, 0, 1, options.active, 0x10, 0, 0x10, 0};
    uint8_t enable[] = {on, options.filter, 0, 0, 0, 0};
    if (on) command(file, "LE Set Extended Scan Parameters", 0x2041, parameters, sizeof parameters);
    command(file, "LE Set Extended Scan Enable", 0x2042, enable, sizeof enable);
  } else {
    uint8_t parameters[] = {options.active, 0x10, 0, 0x10, 0, 0, 0};
    uint8_t enable[] = {on, options.filter};
    if (on) command(file, "LE Set Scan Parameters", 0x200b, parameters, sizeof parameters);
    command(file, "LE Set Scan Enable", 0x200c, enable, sizeof enable);
  }
}

/* ---- Reports and events ---- */

static struct {
  unsigned long reports, last_number;
  int weakest, strongest;
} tally = {.weakest = 127, .strongest = -128};

static void take_report(
  const char *form, uint8_t type, const uint8_t *octets, int8_t rssi, const uint8_t *data, uint8_t length) {
  const uint8_t address_type = octets[0], *address = octets + 1;
  tally.reports++;
  if (rssi < tally.weakest) tally.weakest = rssi;
  if (rssi > tally.strongest) tally.strongest = rssi;
  if (options.numbered && length >= 12) {
    const uint8_t *number = data + length - 8;
    tally.last_number = (unsigned long)number[0] << 24 | (unsigned long)number[1] << 16 | number[2] << 8 | number[3];
  }
  if (options.quiet) return;
  stamp();
  printf(
    "%s event=%02x %02X:%02X:%02X:%02X:%02X:%02X/%s rssi=%d length=%u ", form, type, address[5], address[4], address[3],
    address[2], address[1], address[0], address_type & 1 ? "random" : "public", rssi, length);
  for (int i = 0; i < length; i++) printf("%02x", data[i]);
  putchar('\n');
}

/* An event from its code on. */
static void take_event(const uint8_t *event, size_t size) {
  const uint8_t *next = event + 4, *end = event + size;
  if (size < 4 || event[0] != 0x3e || (event[2] != 0x02 && event[2] != 0x0d)) {
    if (options.quiet) return;
    stamp();
    printf("event %02x:", event[0]);
    print_octets(event + 1, size < 24 ? (ssize_t)size - 1 : 23);
    return;
  }
  for (int left = event[3]; left; left--) {
    if (event[2] == 0x0d) {
      if (end - next < 24 || end - next < 24 + next[23]) return;
      take_report("EXT", next[0], next + 2, (int8_t)next[13], next + 24, next[23]);
      next += 24 + next[23];
    } else {
      if (end - next < 10 || end - next < 10 + next[8]) return;
      take_report("ADV", next[0], next + 1, (int8_t)next[9 + next[8]], next + 9, next[8]);
      next += 10 + next[8];
    }
  }
}

static void take_packet(const uint8_t *packet, size_t size, int channel) {
  if (channel == CHANNEL_MONITOR) {
    /* A header of kind, adapter and length; kind 3 is an event. */
    if (size < 7) return;
    int kind = packet[0] | packet[1] << 8;
    if (kind == 3) {
      take_event(packet + 6, size - 6);
    } else if (!options.quiet) {
      stamp();
      printf("monitor kind=%d adapter=%d length=%zu\n", kind, packet[2] | packet[3] << 8, size - 6);
    }
  } else if (size > 1 && packet[0] == 4) {
    take_event(packet + 1, size - 1);
  }
}

static void listen_on(int file, int channel) {
  uint64_t end = now() + (uint64_t)(options.seconds * 1e6);
  uint8_t packet[4096];
  int errors = 0;
  usleep((useconds_t)(options.delay * 1e6));
  while (!options.count || tally.reports < options.count) {
    struct pollfd poll_file = {.fd = file, .events = POLLIN};
    int left = milliseconds_until(end), ready = left ? poll(&poll_file, 1, left) : 0;
    if (ready == 0) break;
    if (ready < 0) continue;
    /* Not SO_ERROR, which would take the error away from read. */
    if (poll_file.revents & ~POLLIN) {
      stamp();
      printf("poll -> %s\n", poll_file.revents & POLLERR ? "POLLERR" : "no POLLERR");
    }
    ssize_t size = read(file, packet, sizeof packet);
    if (size <= 0) {
      step("read", size);
      if (++errors == 3) break;
      continue;
    }
    take_packet(packet, (size_t)size, channel);
  }
}

static void sum_up(int file) {
  uint32_t memory[16] = {0};
  socklen_t size = sizeof memory;
  printf("summary reports=%lu rssi=%d..%d", tally.reports, tally.weakest, tally.strongest);
  if (options.numbered) printf(" lost=%ld", (long)(tally.last_number + 1) - (long)tally.reports);
  if (getsockopt(file, SOL_SOCKET, SO_MEMINFO, memory, &size) == 0) printf(" drops=%u", memory[DROPS]);
  putchar('\n');
}

static int listen_to(int channel) {
  int file = open_channel(channel == CHANNEL_MONITOR ? NO_DEVICE : options.device, channel);
  if (file < 0) return 1;
  bool scans = channel != CHANNEL_MONITOR && !options.listens_only;
  if (channel == CHANNEL_RAW) {
    /* Command Complete and Status, Hardware Error; LE Meta, and 0xfd: what happens to adapters. */
    struct hci_filter filter = {
      .types = 1u << 4, .events = {1u << 0x0e | 1u << 0x0f | 1u << 0x10, 1u << (0x3e - 32) | 1u << (0x3d - 32)}};
    step("setsockopt(HCI_FILTER)", setsockopt(file, SOL_HCI, HCI_FILTER, &filter, sizeof filter));
  } else if (channel == CHANNEL_USER) {
    static const uint8_t mask[8] = {0xff, 0xff, 0xfb, 0xff, 0x07, 0xf8, 0xbf, 0x3d}, le_mask[8] = {0x1f, 0x1f};
    if (command(file, "Reset", 0x0c03, NULL, 0) < 0) return 1;
    command(file, "Set Event Mask", 0x0c01, mask, sizeof mask);
    command(file, "LE Set Event Mask", 0x2001, le_mask, sizeof le_mask);
  }
  if (scans) set_scan(file, true);
  listen_on(file, channel);
  if (scans) set_scan(file, false);
  sum_up(file);
  return 0;
}

/* ---- Management ---- */

/* Source: BlueZ, doc/mgmt-api.txt. */
static const struct {
  const char *name;
  uint16_t opcode;
  bool is_global;
} management[] = {
  {"version", 0x0001, true},
  {"index-list", 0x0003, true},
  {"info", 0x0004, false},
  {"set-powered", 0x0005, false},
  {"start-discovery", 0x0023, false},
  {"stop-discovery", 0x0024, false},
  {"ext-index-list", 0x003c, true},
  {"adv-monitor-features", 0x0051, false},
  {"add-adv-monitor", 0x0052, false},
  {"remove-adv-monitor", 0x0053, false},
};
enum { COMMAND_COMPLETE = 1, COMMAND_STATUS = 2 };

static void print_management(const uint8_t *event, ssize_t size) {
  stamp();
  printf("mgmt event 0x%04x adapter %d:", event[0] | event[1] << 8, event[2] | event[3] << 8);
  print_octets(event + 6, size < 46 ? size - 6 : 40);
}

static void management_command(int file, char *text) {
  uint8_t packet[1024] = {0};
  char *values = strchr(text, '=');
  size_t known = 0, length = 0;
  if (values) *values++ = 0;
  while (known < sizeof management / sizeof *management && strcmp(text, management[known].name)) known++;
  if (known == sizeof management / sizeof *management) {
    printf("unknown mgmt command %s\n", text);
    return;
  }
  for (; values && values[0] && values[1] && length < 255; values += 2) {
    char digits[3] = {values[0], values[1], 0};
    packet[6 + length++] = (uint8_t)strtoul(digits, NULL, 16);
  }
  int opcode = management[known].opcode, device = management[known].is_global ? NO_DEVICE : options.device;
  uint8_t header[6] = {
    (uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)device, (uint8_t)(device >> 8), (uint8_t)length};
  memcpy(packet, header, sizeof header);
  if (write(file, packet, 6 + length) < 0) {
    step(text, -1);
    return;
  }
  struct pollfd poll_file = {.fd = file, .events = POLLIN};
  while (poll(&poll_file, 1, 5000) > 0) {
    ssize_t size = read(file, packet, sizeof packet);
    if (size < 6) continue;
    int kind = packet[0] | packet[1] << 8;
    if (size < 9 || (kind != COMMAND_COMPLETE && kind != COMMAND_STATUS) || (packet[6] | packet[7] << 8) != opcode) {
      print_management(packet, size);
      continue;
    }
    stamp();
    printf("mgmt %s -> status 0x%02x, values", text, packet[8]);
    print_octets(packet + 9, size < 60 ? size - 9 : 51);
    return;
  }
  stamp();
  printf("mgmt %s: no answer within 5 s\n", text);
}

static int manage(int count, char **commands) {
  int file = open_channel(NO_DEVICE, CHANNEL_CONTROL), left;
  if (file < 0) return 1;
  for (int i = 0; i < count; i++) management_command(file, commands[i]);
  uint64_t end = now() + (uint64_t)(options.seconds * 1e6);
  while ((left = milliseconds_until(end))) {
    struct pollfd poll_file = {.fd = file, .events = POLLIN};
    uint8_t event[1024];
    if (poll(&poll_file, 1, left) <= 0) continue;
    ssize_t size = read(file, event, sizeof event);
    if (size >= 6) print_management(event, size);
  }
  return 0;
}

/* ---- ioctl ---- */

static void print_info(int file) {
  /* struct hci_dev_info begins with id, name[8], address[6], flags; the first flag is "up". */
  union {
    uint16_t id;
    uint8_t octets[128];
  } info = {.id = (uint16_t)options.device};
  uint32_t flags;
  if (!step("ioctl(HCIGETDEVINFO)", ioctl(file, HCIGETDEVINFO, &info))) return;
  memcpy(&flags, info.octets + 16, sizeof flags);
  printf("          %.8s flags=0x%x %s\n", (char *)info.octets + 2, flags, flags & 1 ? "up" : "down");
}

static void print_list(int file) {
  struct {
    uint16_t count;
    struct {
      uint16_t id;
      uint32_t flags;
    } devices[16];
  } list = {.count = 16};
  if (!step("ioctl(HCIGETDEVLIST)", ioctl(file, HCIGETDEVLIST, &list))) return;
  for (int i = 0; i < list.count; i++) {
    printf("          hci%u flags=0x%x\n", list.devices[i].id, list.devices[i].flags);
  }
}

static int control(int count, char **requests) {
  int file = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
  bool is_good = step("socket", file);
  for (int i = 0; i < count && is_good; i++) {
    if (!strcmp(requests[i], "up")) {
      step("ioctl(HCIDEVUP)", ioctl(file, HCIDEVUP, options.device));
    } else if (!strcmp(requests[i], "down")) {
      step("ioctl(HCIDEVDOWN)", ioctl(file, HCIDEVDOWN, options.device));
    } else if (!strcmp(requests[i], "info")) {
      print_info(file);
    } else if (!strcmp(requests[i], "list")) {
      print_list(file);
    } else {
      is_good = false;
    }
  }
  return is_good ? 0 : 1;
}

int main(int count, char **words) {
  const char *way = count > 1 ? words[1] : "";
  struct sigaction action = {.sa_handler = interrupt};
  int option;
  start = now();
  setvbuf(stdout, NULL, _IOLBF, 0);
  sigaction(SIGTERM, &action, NULL);
  if (!strcmp(way, "--help")) return fputs(usage, stdout) < 0;
  while (count > 1 && (option = getopt(count - 1, words + 1, "i:t:n:p:NEadqF")) != -1) {
    switch (option) {
      case 'i': options.device = atoi(optarg); break;
      case 't': options.seconds = atof(optarg); break;
      case 'n': options.count = strtoul(optarg, NULL, 10); break;
      case 'p': options.delay = atof(optarg); break;
      case 'N': options.listens_only = true; break;
      case 'E': options.extended = true; break;
      case 'a': options.active = true; break;
      case 'd': options.filter = true; break;
      case 'q': options.quiet = true; break;
      case 'F': options.numbered = true; break;
      default: return 64;
    }
  }
  int rest = count - 1 - optind;
  char **others = words + 1 + optind;
  if (!strcmp(way, "raw")) return listen_to(CHANNEL_RAW);
  if (!strcmp(way, "user")) return listen_to(CHANNEL_USER);
  if (!strcmp(way, "monitor")) return listen_to(CHANNEL_MONITOR);
  if (!strcmp(way, "mgmt")) return manage(rest, others);
  if (!strcmp(way, "ioctl")) return control(rest, others);
  fputs(usage, stderr);
  return 64;
}
