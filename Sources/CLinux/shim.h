// What Swift's Glibc module hides of the C library.
#pragma once
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timex.h>

// A counter that poll sees. Negative on failure, as errno says.
static inline int linux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Whether the kernel's clock follows a source. Source: adjtimex(2), TIME_ERROR: "The system clock is not synchronized".
static inline int linux_clock_is_synchronized(void) {
  struct timex query = {0};
  int state = adjtimex(&query);
  return state >= 0 && state != TIME_ERROR && !(query.status & STA_UNSYNC);
}

// The name that tools show for the calling thread: at most 15 octets.
static inline void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// A descriptor that gives the signals of a set, which must be blocked.
static inline int linux_signalfd(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

// Whether the program has rights, by its file, that whoever started it has not. Source: getauxval(3), AT_SECURE.
static inline int linux_is_privileged(void) { return getauxval(AT_SECURE) != 0; }
