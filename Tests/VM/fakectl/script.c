/* Scripts: their lines, the beacons that they set up, what they wait for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fakectl.h"

enum { MAX_BEACONS = 512, MAX_LINES = 4096, MAX_WORDS = 24, MAX_LOOPS = 16, TURN = 256 };
static const usec_t never = 3600000000u;

const char script_usage[] =
  "Script lines (# starts a comment):\n"
  "  beacon NAME every=100ms [jitter=10ms] [count=N] REPORT    advertises from now on\n"
  "  stop NAME|all\n"
  "  adv REPORT                   one report now\n"
  "  flood N [rate=PER_SECOND] REPORT    N reports; the last 8 octets are number and time\n"
  "  replay FILE [speed=1.0]      the reports of a btsnoop capture (speed=0: no pauses)\n"
  "  sleep T | wait scan|noscan|command [T] | repeat N ... end    (wait: at most T, 30s)\n"
  "  echo TEXT | stats | exit [CODE]\n"
  "Faults:\n"
  "  stall T                      reports nothing for T while the scan is on\n"
  "  stall rescan|reset           reports nothing until the host enables the scan anew, or resets\n"
  "  fail OPCODE STATUS           answers a command with an error (hexadecimal: fail 2042 0c)\n"
  "  mute OPCODE|all              does not answer a command, or any\n"
  "  normal OPCODE|all            answers again\n"
  "  hwerror CODE                 a Hardware Error event; the kernel resets the controller\n"
  "  event HEX                    an event: code, length, parameters\n"
  "  unplug | plug [elsewhere]    elsewhere: the adapter comes back as another hciN\n"
  "REPORT: addr=AA:BB:CC:DD:EE:FF[/public|/random] rssi=LEVEL data=DATA [rsp=DATA]\n"
  "        [type=nonconn|ind|scan|direct|rsp|rsp-scan|ext-nonconn|ext-conn|ext-scan|ext-rsp]\n"
  "        [form=auto|legacy|ext] [phy=1[/2]] [sid=N] [tx=DBM]\n"
  "LEVEL:  -60, -60~5 (a spread), or -40..-90/10s (there and back in 10 s)\n"
  "DATA:   hexadecimal, or ibeacon:UUID,MAJOR,MINOR,POWER  altbeacon:COMPANY,ID,POWER,RESERVED\n"
  "        uid:POWER,NAMESPACE,INSTANCE  url:POWER,HEX  tlm:MILLIVOLTS,CELSIUS,COUNT,DECISECONDS\n";

int exit_code = -1;

struct beacon {
  char name[32];
  struct report report, response;
  struct level level;
  usec_t every, jitter, next;
  uint64_t left; /* reports still to send; 0: without end */
  double rate;   /* of a flood, per second; 0: as fast as it goes */
  bool is_used, has_response;
};
static struct beacon beacons[MAX_BEACONS];

static struct line {
  char *text;
  const char *place;
  int number;
} lines[MAX_LINES];
static int line_count, next_line;

static struct {
  int start;
  long left;
} loops[MAX_LOOPS];
static int loop_count;

/* What the script waits for before its next line runs. */
static struct {
  enum { READY, SLEEPING, WAITING, REPLAYING, FLOODING } kind;
  enum { FOR_SCAN, FOR_NO_SCAN, FOR_COMMAND } what;
  usec_t until;
  uint64_t commands;
} pause;

static struct {
  struct report report;
  uint64_t size, sent;
  double rate;
  usec_t start;
} flood;

/* ---- Beacons ---- */

/* Words of the form KEY=VALUE. */
static bool parse_report(char **words, int count, struct beacon *beacon) {
  struct report *report = &beacon->report;
  report->primary_phy = 1;
  report->sid = 0xff;
  report->tx_power = 127;
  report->event_type = 0x10;
  beacon->level.from = beacon->level.to = -60;
  for (int i = 0; i < count; i++) {
    const char *key = words[i];
    char *value = strchr(words[i], '=');
    long number = 0;
    bool is_good;
    if (!value) return fail("expected KEY=VALUE");
    *value++ = 0;
    if (!strcmp(key, "addr")) {
      is_good = parse_address(value, report->address, &report->address_type);
    } else if (!strcmp(key, "data")) {
      is_good = parse_data(value, report->data, &report->length);
    } else if (!strcmp(key, "rsp")) {
      is_good = beacon->has_response = parse_data(value, beacon->response.data, &beacon->response.length);
    } else if (!strcmp(key, "rssi")) {
      is_good = parse_level(value, &beacon->level);
    } else if (!strcmp(key, "every")) {
      is_good = parse_duration(value, &beacon->every) && (beacon->every || fail("every is a while"));
    } else if (!strcmp(key, "jitter")) {
      is_good = parse_duration(value, &beacon->jitter);
    } else if (!strcmp(key, "count")) {
      is_good = parse_number(value, 10, 1, 1000000000, &number);
      beacon->left = (uint64_t)number;
    } else if (!strcmp(key, "rate")) {
      is_good = parse_real(value, 0, 1e6, &beacon->rate);
    } else if (!strcmp(key, "tx")) {
      is_good = parse_number(value, 10, -127, 127, &number);
      report->tx_power = (int8_t)number;
    } else if (!strcmp(key, "sid")) {
      is_good = parse_number(value, 0, 0, 255, &number);
      report->sid = (uint8_t)number;
    } else if (!strcmp(key, "phy")) {
      /* 1 is 1M, 2 is 2M, 3 is Coded. */
      is_good = value[0] >= '1' && value[0] <= '3' &&
                (!value[1] || (value[1] == '/' && value[2] >= '1' && value[2] <= '3' && !value[3]));
      if (!is_good) return fail("phy is 1 to 3, twice with a slash between");
      report->primary_phy = (uint8_t)(value[0] - '0');
      report->secondary_phy = value[1] ? (uint8_t)(value[2] - '0') : 0;
    } else if (!strcmp(key, "form")) {
      report->form = !strcmp(value, "legacy") ? FORM_LEGACY : !strcmp(value, "ext") ? FORM_EXTENDED : FORM_AUTO;
      is_good = report->form != FORM_AUTO || !strcmp(value, "auto") || fail("form is auto, legacy or ext");
    } else if (!strcmp(key, "type")) {
      is_good = parse_pdu_type(value, &report->event_type);
    } else {
      return fail("unknown key");
    }
    if (!is_good) return false;
  }
  if (beacon->has_response) {
    struct report response = *report;
    response.length = beacon->response.length;
    memcpy(response.data, beacon->response.data, response.length);
    response.event_type = report->event_type & 0x10 ? 0x1b : 0x0a;
    beacon->response = response;
  }
  return true;
}

static void advertise(struct beacon *beacon, usec_t time) {
  beacon->report.rssi = level_at(&beacon->level, time);
  inject(&beacon->report);
  if (beacon->has_response && controller.active_scan) {
    beacon->response.rssi = beacon->report.rssi;
    inject(&beacon->response);
  }
}

/* The beacon of that name, or a free place. */
static struct beacon *place_of(const char *name) {
  struct beacon *place = NULL;
  for (int i = 0; i < MAX_BEACONS; i++) {
    if (beacons[i].is_used && !strcmp(beacons[i].name, name)) return &beacons[i];
    if (!beacons[i].is_used && !place) place = &beacons[i];
  }
  return place;
}

static bool add_beacon(char **words, int count) {
  struct beacon beacon = {.every = 100000, .is_used = true}, *place;
  if (strlen(words[0]) >= sizeof beacon.name) return fail("a beacon's name has less than 32 octets");
  strcpy(beacon.name, words[0]);
  if (!parse_report(words + 1, count - 1, &beacon)) return false;
  place = place_of(beacon.name);
  if (!place) return fail("too many beacons");
  beacon.next = now();
  *place = beacon;
  return true;
}

static usec_t run_beacons(usec_t time, usec_t wake) {
  for (int i = 0; i < MAX_BEACONS; i++) {
    struct beacon *beacon = &beacons[i];
    if (!beacon->is_used) continue;
    if (time >= beacon->next) {
      advertise(beacon, time);
      beacon->next += beacon->every + (beacon->jitter ? (usec_t)random() % beacon->jitter : 0);
      /* Who was late does not catch up. */
      if (beacon->next < time) beacon->next = time + beacon->every;
      if (beacon->left && --beacon->left == 0) {
        beacon->is_used = false;
        continue;
      }
    }
    if (beacon->next < wake) wake = beacon->next;
  }
  return wake;
}

bool has_beacons(void) {
  for (int i = 0; i < MAX_BEACONS; i++) {
    if (beacons[i].is_used) return true;
  }
  return false;
}

/* ---- Lines ---- */

static bool parse_opcode(const char *text, bool or_all, int *opcode) {
  long value;
  *opcode = ALL_COMMANDS;
  if (or_all && !strcmp(text, "all")) return true;
  if (!parse_number(text, 16, 0, 0xffff, &value)) return false;
  *opcode = (int)value;
  return true;
}

static bool start_flood(char **words, int count) {
  struct beacon beacon = {0};
  long size;
  if (!parse_number(words[0], 10, 1, 1000000000, &size) || !parse_report(words + 1, count - 1, &beacon)) return false;
  if (beacon.report.length < 12) return fail("a flood needs 12 octets of data");
  flood.report = beacon.report;
  flood.report.rssi = level_at(&beacon.level, now());
  flood.rate = beacon.rate;
  flood.size = (uint64_t)size;
  flood.sent = 0;
  flood.start = now();
  pause.kind = FLOODING;
  return true;
}

static bool start_wait(char **words, int count) {
  usec_t most = 30000000;
  if (!strcmp(words[0], "scan")) {
    pause.what = FOR_SCAN;
  } else if (!strcmp(words[0], "noscan")) {
    pause.what = FOR_NO_SCAN;
  } else if (!strcmp(words[0], "command")) {
    pause.what = FOR_COMMAND;
  } else {
    return fail("wait for scan, noscan or command");
  }
  if (count > 1 && !parse_duration(words[1], &most)) return false;
  pause.until = now() + most;
  pause.commands = stats.commands;
  pause.kind = WAITING;
  return true;
}

static bool start_stall(const char *what) {
  controller.cure = !strcmp(what, "rescan") ? CURE_RESCAN : !strcmp(what, "reset") ? CURE_RESET : CURE_NONE;
  usec_t duration = UINT64_MAX / 2;
  if (controller.cure == CURE_NONE && !parse_duration(what, &duration)) return false;
  controller.stalled_until = now() + duration;
  return true;
}

static bool word_is(const char *line, const char *word) {
  line += strspn(line, " \t");
  size_t length = strcspn(line, " \t#");
  return length == strlen(word) && !strncmp(line, word, length);
}

static bool start_loop(const char *text, bool in_script) {
  long times;
  if (!in_script) return fail("repeat stands in scripts only");
  if (!parse_number(text, 10, 0, 1000000000, &times)) return false;
  if (times) {
    if (loop_count == MAX_LOOPS) return fail("loops too deep");
    loops[loop_count].start = next_line;
    loops[loop_count++].left = times;
    return true;
  }
  for (int depth = 1; depth && next_line < line_count; next_line++) {
    if (word_is(lines[next_line].text, "repeat")) depth++;
    if (word_is(lines[next_line].text, "end")) depth--;
  }
  return true;
}

static bool end_loop(bool in_script) {
  if (!in_script || !loop_count) return fail("end without repeat");
  if (--loops[loop_count - 1].left > 0) {
    next_line = loops[loop_count - 1].start;
  } else {
    loop_count--;
  }
  return true;
}

void say_stats(void) {
  say(
    "stats injected=%llu no_scan=%llu stalled=%llu duplicate=%llu refused=%llu commands=%llu",
    (unsigned long long)stats.injected, (unsigned long long)stats.no_scan, (unsigned long long)stats.stalled,
    (unsigned long long)stats.duplicate, (unsigned long long)stats.refused, (unsigned long long)stats.commands);
}

/* Cuts the line into words and runs it; false with parse_error set. */
static bool run(char *line, bool in_script) {
  char *words[MAX_WORDS], *rest;
  int count = 0, opcode;
  long number;
  line[strcspn(line, "#")] = 0;
  for (char *word = strtok_r(line, " \t\r\n", &rest); word; word = strtok_r(NULL, " \t\r\n", &rest)) {
    if (count == MAX_WORDS) return fail("too many words");
    words[count++] = word;
  }
  if (!count) return true;

/* The command with so many words behind it, at least and at most. */
#define COMMAND(name, least, most) (!strcmp(words[0], name) && count > (least) && count <= (most) + 1)
  if (COMMAND("adv", 1, MAX_WORDS)) {
    struct beacon beacon = {0};
    if (!parse_report(words + 1, count - 1, &beacon)) return false;
    advertise(&beacon, now());
  } else if (COMMAND("beacon", 2, MAX_WORDS)) {
    return add_beacon(words + 1, count - 1);
  } else if (COMMAND("stop", 1, 1)) {
    for (int i = 0; i < MAX_BEACONS; i++) {
      if (!strcmp(words[1], "all") || !strcmp(words[1], beacons[i].name)) beacons[i].is_used = false;
    }
  } else if (COMMAND("flood", 2, MAX_WORDS)) {
    return start_flood(words + 1, count - 1);
  } else if (COMMAND("replay", 1, 2)) {
    double speed = 1;
    if (count > 2 && (strncmp(words[2], "speed=", 6) || !parse_real(words[2] + 6, 0, 1e6, &speed)))
      return fail("replay FILE [speed=NUMBER]");
    const char *error = start_replay(words[1], speed);
    if (error) return fail(error);
    pause.kind = REPLAYING;
  } else if (COMMAND("sleep", 1, 1)) {
    usec_t duration;
    if (!parse_duration(words[1], &duration)) return false;
    pause.until = now() + duration;
    pause.kind = SLEEPING;
  } else if (COMMAND("wait", 1, 2)) {
    return start_wait(words + 1, count - 1);
  } else if (COMMAND("repeat", 1, 1)) {
    return start_loop(words[1], in_script);
  } else if (COMMAND("end", 0, 0)) {
    return end_loop(in_script);
  } else if (COMMAND("stall", 1, 1)) {
    return start_stall(words[1]);
  } else if (COMMAND("fail", 2, 2)) {
    if (!parse_opcode(words[1], false, &opcode) || !parse_number(words[2], 16, 1, 255, &number)) return false;
    if (!set_fault(opcode, FAULT_STATUS, (uint8_t)number)) return fail("too many faults");
  } else if (COMMAND("mute", 1, 1)) {
    if (!parse_opcode(words[1], true, &opcode)) return false;
    if (!set_fault(opcode, FAULT_MUTE, 0)) return fail("too many faults");
  } else if (COMMAND("normal", 1, 1)) {
    if (!parse_opcode(words[1], true, &opcode)) return false;
    set_fault(opcode, FAULT_NONE, 0);
  } else if (COMMAND("hwerror", 1, 1)) {
    if (!parse_number(words[1], 16, 0, 255, &number)) return false;
    uint8_t code = (uint8_t)number;
    send_event(0x10, &code, 1);
  } else if (COMMAND("event", 1, 1)) {
    uint8_t event[257];
    size_t size;
    if (!parse_hex(words[1], event, sizeof event, &size)) return false;
    if (size < 2 || event[1] != size - 2) return fail("an event is code, length and that many octets");
    if (!send_event(event[0], event + 2, size - 2)) stats.refused++;
  } else if (COMMAND("unplug", 0, 0)) {
    unplug();
  } else if (COMMAND("plug", 0, 1)) {
    if (count > 1 && strcmp(words[1], "elsewhere")) return fail("plug [elsewhere]");
    plug(count > 1);
  } else if (COMMAND("echo", 1, MAX_WORDS)) {
    for (int i = 1; i < count; i++) printf("%s%c", words[i], i + 1 < count ? ' ' : '\n');
    fflush(stdout);
  } else if (COMMAND("stats", 0, 0)) {
    say_stats();
  } else if (COMMAND("exit", 0, 1)) {
    number = 0;
    if (count > 1 && !parse_number(words[1], 10, 0, 255, &number)) return false;
    exit_code = (int)number;
  } else {
    return fail("unknown command, or too few or too many words");
  }
#undef COMMAND
  return true;
}

static char *copy_of(const char *text) {
  char *copy = strdup(text);
  if (!copy) die("no memory");
  return copy;
}

static void run_or_die(const char *text, const char *place, int number, bool in_script) {
  char *copy = copy_of(text);
  if (!run(copy, in_script)) die("%s:%d: %s: %s", place, number, parse_error, text);
  free(copy);
}

void run_line(const char *line, const char *place, int number) { run_or_die(line, place, number, false); }

void add_line(const char *line, const char *place, int number) {
  if (line_count == MAX_LINES) die("%s:%d: more than %d lines", place, number, MAX_LINES);
  lines[line_count++] = (struct line){copy_of(line), place, number};
}

void load_script(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t size = 0;
  if (!file) die("%s: %s", path, strerror(errno));
  for (int number = 1; getline(&line, &size, file) > 0; number++) {
    line[strcspn(line, "\r\n")] = 0;
    add_line(line, path, number);
  }
  if (ferror(file)) die("%s: %s", path, strerror(errno));
  free(line);
  fclose(file);
}

int check_script(void) {
  int bad = 0;
  while (next_line < line_count) {
    struct line line = lines[next_line++];
    char *copy = copy_of(line.text);
    if (!run(copy, true)) {
      fprintf(stderr, "%s:%d: %s: %s\n", line.place, line.number, parse_error, line.text);
      bad++;
    }
    free(copy);
    /* Nothing waits, and a loop's body is looked at once. */
    pause.kind = READY;
    for (int i = 0; i < loop_count; i++) loops[i].left = 0;
  }
  return bad;
}

/* ---- Running ---- */

static void flood_on(usec_t time, usec_t *wake) {
  for (int turn = 0; turn < TURN && flood.sent < flood.size; turn++) {
    if (flood.rate > 0) {
      usec_t due = flood.start + (usec_t)((double)flood.sent / flood.rate * 1e6);
      if (time < due) {
        *wake = due;
        return;
      }
    }
    uint8_t *tail = flood.report.data + flood.report.length - 8;
    put_big_endian(tail, flood.sent, 4);
    put_big_endian(tail + 4, now(), 4);
    inject(&flood.report);
    flood.sent++;
  }
  *wake = time;
  if (flood.sent == flood.size) {
    say("flood sent=%llu us=%llu", (unsigned long long)flood.size, (unsigned long long)(now() - flood.start));
    pause.kind = READY;
  }
}

/* Goes on with what the script waits for; *wake is when to look again while it does. */
static bool still_waits(usec_t time, usec_t *wake) {
  switch (pause.kind) {
    case READY:
      break;
    case SLEEPING:
      if (time >= pause.until) pause.kind = READY;
      *wake = pause.until;
      break;
    case WAITING:
      if (
        (pause.what == FOR_SCAN && controller.scan != SCAN_OFF) ||
        (pause.what == FOR_NO_SCAN && controller.scan == SCAN_OFF) ||
        (pause.what == FOR_COMMAND && stats.commands > pause.commands)) {
        pause.kind = READY;
      } else if (time >= pause.until) {
        die("wait timed out");
      }
      *wake = pause.until;
      break;
    case REPLAYING:
      if (!replay(time, wake)) pause.kind = READY;
      break;
    case FLOODING:
      flood_on(time, wake);
      break;
  }
  return pause.kind != READY;
}

bool script_is_busy(void) { return pause.kind != READY || next_line < line_count; }

usec_t run_script(usec_t time) {
  usec_t wake = time + never;
  /* Only so many lines at once: commands want answers meanwhile. */
  for (int turn = 0; exit_code < 0; turn++) {
    if (still_waits(time, &wake)) break;
    wake = time + never;
    if (next_line == line_count) break;
    if (turn == TURN) {
      wake = time;
      break;
    }
    const struct line *line = &lines[next_line++];
    run_or_die(line->text, line->place, line->number, true);
    time = now();
  }
  return run_beacons(time, wake);
}
