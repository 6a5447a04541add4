/* usage: runstat RUNS PROGRAM ARGUMENT...
 *
 * Runs a short command again and again, its output thrown away, and prints the medians: wall and CPU time (start
 * included), largest resident size, page faults.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP = 2, MOST_RUNS = 1000 };

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static double microseconds(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

static double wall_microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
  static double wall[MOST_RUNS], cpu[MOST_RUNS], memory[MOST_RUNS], faults[MOST_RUNS];
  int runs = argc > 2 ? atoi(argv[1]) : 0;
  if (runs < 1 || runs > MOST_RUNS) {
    fputs("usage: runstat RUNS PROGRAM ARGUMENT...\n", stderr);
    return 64;
  }
  for (int i = -WARM_UP; i < runs; i++) {
    double start = wall_microseconds();
    pid_t child = fork();
    if (child == 0) {
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
      execvp(argv[2], argv + 2);
      _exit(127);
    }
    int status;
    struct rusage usage;
    wait4(child, &status, 0, &usage);
    if (i < 0) continue;
    wall[i] = wall_microseconds() - start;
    cpu[i] = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    memory[i] = (double)usage.ru_maxrss;
    faults[i] = (double)usage.ru_minflt;
  }
  printf(
    "wall %.0f us, cpu %.0f us, peak memory %.0f KB, page faults %.0f\n", median(wall, runs), median(cpu, runs),
    median(memory, runs), median(faults, runs));
  return 0;
}
