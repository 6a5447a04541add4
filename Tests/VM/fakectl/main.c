/* A scriptable Bluetooth LE controller behind /dev/vhci. The kernel and all its clients take it for an adapter; its
   advertising reports, their levels and times, and its faults come from a script, from lines on standard input, or from
   a capture. One process is one adapter. `fakectl --help` has the language. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fakectl.h"

struct options options = {.address = {0x01, 0x00, 0xfa, 0xfa, 0x1e, 0xfa}, .extended = true};
struct stats stats;

static volatile sig_atomic_t is_interrupted;

static const char usage[] =
  "usage: fakectl [options] [SCRIPT...]\n"
  "  --addr AA:BB:CC:DD:EE:FF  public address of the controller\n"
  "  --legacy                  a 4.2 controller: no extended scanning (otherwise 5.2)\n"
  "  --deaf                    takes extended scan commands, and reports nothing by them\n"
  "  --mixed                   takes legacy and extended scan commands by turns\n"
  "  --no-dup-filter           reports duplicates even when told to filter them\n"
  "  --stdin                   after the scripts, runs lines from standard input\n"
  "  --stay                    after the scripts, stays until SIGTERM or SIGINT\n"
  "  --log FILE                commands and events (standard error)\n"
  "  --seed N                  seed of levels' spread and of jitter\n"
  "  -e LINE                   one script line (may be repeated)\n"
  "  --check                   only checks the script lines, without a controller; exit code 1 where one is bad\n"
  "It prints the adapter's name once it is there, and ends after the scripts when no beacon advertises. Like a real\n"
  "controller it refuses (0x0c) parameters while it scans, and legacy commands after extended ones.\n";

usec_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (usec_t)time.tv_sec * 1000000 + (usec_t)time.tv_nsec / 1000;
}

void say(const char *format, ...) {
  va_list arguments;
  usec_t time = now();
  if (options.check) return;
  fprintf(options.log, "%llu.%06llu ", (unsigned long long)(time / 1000000), (unsigned long long)(time % 1000000));
  va_start(arguments, format);
  vfprintf(options.log, format, arguments);
  va_end(arguments);
  fputc('\n', options.log);
  fflush(options.log);
}

void die(const char *format, ...) {
  va_list arguments;
  fputs("fakectl: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(2);
}

static void interrupt(int signal) {
  (void)signal;
  is_interrupted = 1;
}

struct arguments {
  bool reads, stays;
};

static struct arguments take_arguments(int count, char **words) {
  struct arguments result = {0};
  int extra = 0;
  for (int i = 1; i < count; i++) {
    const char *word = words[i], *value = i + 1 < count ? words[i + 1] : NULL;
    uint8_t type;
    long seed;
    if (!strcmp(word, "--addr") && value) {
      if (!parse_address(value, options.address, &type)) die("%s: %s", value, parse_error);
      i++;
    } else if (!strcmp(word, "--legacy")) {
      options.extended = false;
    } else if (!strcmp(word, "--deaf")) {
      options.deaf = true;
    } else if (!strcmp(word, "--mixed")) {
      options.mixed = true;
    } else if (!strcmp(word, "--no-dup-filter")) {
      options.no_filter = true;
    } else if (!strcmp(word, "--stdin")) {
      result.reads = true;
    } else if (!strcmp(word, "--stay")) {
      result.stays = true;
    } else if (!strcmp(word, "--check")) {
      options.check = true;
    } else if (!strcmp(word, "--seed") && value) {
      if (!parse_number(value, 10, 0, 1000000000, &seed)) die("%s: %s", value, parse_error);
      srandom((unsigned)seed);
      i++;
    } else if (!strcmp(word, "--log") && value) {
      options.log = fopen(value, "w");
      if (!options.log) die("%s: %s", value, strerror(errno));
      i++;
    } else if (!strcmp(word, "-e") && value) {
      add_line(value, "-e", ++extra);
      i++;
    } else if (!strcmp(word, "--help")) {
      printf("%s%s", usage, script_usage);
      exit(0);
    } else if (word[0] == '-') {
      die("unknown option %s, or one without its value (see --help)", word);
    } else {
      load_script(word);
    }
  }
  return result;
}

/* Lines from standard input; those that came too early wait here. */
static struct {
  char octets[8192];
  size_t count;
  int number;
} input;

/* False at the end of standard input. */
static bool read_input(void) {
  if (input.count == sizeof input.octets) die("stdin: a line of more than %zu octets", sizeof input.octets);
  ssize_t count = read(0, input.octets + input.count, sizeof input.octets - input.count);
  if (count > 0) input.count += (size_t)count;
  return count > 0 || (count < 0 && errno == EINTR);
}

/* Runs the lines that have come, up to one that waits. */
static void run_input(void) {
  char *end;
  while (!script_is_busy() && exit_code < 0 && (end = memchr(input.octets, '\n', input.count))) {
    *end = 0;
    run_line(input.octets, "stdin", ++input.number);
    input.count -= (size_t)(end + 1 - input.octets);
    memmove(input.octets, end + 1, input.count);
  }
}

int main(int count, char **words) {
  options.log = stderr;
  srandom(1);
  struct arguments arguments = take_arguments(count, words);
  if (options.check) return check_script() ? 1 : 0;

  struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  plug(false);
  printf("hci%d\n", controller.index);
  fflush(stdout);

  while (!is_interrupted && exit_code < 0) {
    run_input();
    usec_t time = now(), wake = run_script(time);
    bool is_idle = !script_is_busy(), has_line = memchr(input.octets, '\n', input.count);
    if (is_idle && has_line) continue;
    if (is_idle && !arguments.reads && !arguments.stays && !has_beacons()) break;

    time = now();
    struct pollfd files[2] = {
      {.fd = controller.file, .events = POLLIN},
      {.fd = is_idle && arguments.reads ? 0 : -1, .events = POLLIN},
    };
    usec_t left = wake <= time ? 0 : (wake - time + 999) / 1000;
    if (poll(files, 2, left < 3600000 ? (int)left : 3600000) < 0) {
      if (errno != EINTR) die("poll: %s", strerror(errno));
      continue;
    }
    if (files[0].revents & POLLIN) read_command();
    if (files[1].revents && !read_input()) arguments.reads = false;
  }
  say_stats();
  unplug();
  return exit_code < 0 ? 0 : exit_code;
}
