/* Preloaded into a program, it records each call that changes something below the folder RECORD_FOLDER, when it has
   succeeded, in order, into the file RECORD_FILE. See scripts/power-cut.

   An entry is a line, "write NAME OFFSET COUNT" with the octets and a line end behind, else one of "make NAME",
   "mkdir NAME", "truncate NAME SIZE", "rename NAME NAME", "unlink NAME" and "sync NAME". Names count from the folder, "." is
   the folder itself. With RECORD_END the program is killed after so many entries, between two calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Held over a call and its entry, so that both have one order. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void append(const void *octets, size_t count) {
  static int record = -1;
  if (record < 0) record = NEXT(open)(getenv("RECORD_FILE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  /* A record that lacks something would prove nothing. */
  if (record < 0 || NEXT(write)(record, octets, count) != (ssize_t)count) abort();
}

static long entries;

static void leave(void) {
  const char *end = getenv("RECORD_END");
  if (end && entries >= atol(end)) raise(SIGKILL);
  pthread_mutex_unlock(&order);
}

static void note(const char *format, ...) {
  char line[2 * PATH_MAX + 100];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  append(line, length);
  entries++;
}

/* The name of a path below the folder; NULL for others. */
static const char *below(const char *path) {
  const char *folder = getenv("RECORD_FOLDER");
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == 0) return ".";
  return path[length] == '/' ? path + length + 1 : NULL;
}

/* What a descriptor is open on, as it is called now. */
static const char *name_of(int file, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  const char *name = below(path);
  return name && strstr(name, " (deleted)") ? NULL : name;
}

/* What a name in a folder is called. */
static const char *name_in(int folder, const char *name, char path[PATH_MAX]) {
  if (name[0] == '/') return below(name);
  if (folder == AT_FDCWD) {
    if (!getcwd(path, PATH_MAX)) return NULL;
  } else if (!name_of(folder, path)) {
    return NULL;
  }
  size_t length = strlen(path);
  snprintf(path + length, PATH_MAX - length, "/%s", name);
  return below(path);
}

static int open_in(int folder, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  pthread_mutex_lock(&order);
  struct stat status;
  int is_new = flags & O_CREAT && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0;
  int file = NEXT(openat)(folder, name, flags, mode);
  const char *found = file < 0 ? NULL : name_of(file, path);
  if (found && is_new) note("make %s\n", found);
  else if (found && flags & O_TRUNC) note("truncate %s 0\n", found);
  leave();
  return file;
}

int open(const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_in(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_in(folder, name, flags, mode);
}

static void note_write(int file, off_t offset, const void *octets, ssize_t count) {
  char path[PATH_MAX];
  const char *name = count > 0 ? name_of(file, path) : NULL;
  if (!name) return;
  note("write %s %lld %zd\n", name, (long long)offset, count);
  append(octets, count);
  append("\n", 1);
}

ssize_t write(int file, const void *octets, size_t count) {
  pthread_mutex_lock(&order);
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t written = NEXT(write)(file, octets, count);
  /* Pipes and the like have no place. */
  if (offset >= 0) note_write(file, offset, octets, written);
  leave();
  return written;
}

ssize_t pwrite(int file, const void *octets, size_t count, off_t offset) {
  pthread_mutex_lock(&order);
  ssize_t written = NEXT(pwrite)(file, octets, count, offset);
  note_write(file, offset, octets, written);
  leave();
  return written;
}

ssize_t pwrite64(int file, const void *octets, size_t count, off_t offset) { return pwrite(file, octets, count, offset); }

int ftruncate(int file, off_t size) {
  char path[PATH_MAX];
  pthread_mutex_lock(&order);
  int result = NEXT(ftruncate)(file, size);
  const char *name = result == 0 ? name_of(file, path) : NULL;
  if (name) note("truncate %s %lld\n", name, (long long)size);
  leave();
  return result;
}

static int sync_file(int file, int (*call)(int)) {
  char path[PATH_MAX];
  pthread_mutex_lock(&order);
  int result = call(file);
  const char *name = result == 0 ? name_of(file, path) : NULL;
  if (name) note("sync %s\n", name);
  leave();
  return result;
}

int fsync(int file) { return sync_file(file, NEXT(fsync)); }
int fdatasync(int file) { return sync_file(file, NEXT(fdatasync)); }

int renameat(int folder, const char *name, int other_folder, const char *other) {
  char path[PATH_MAX], other_path[PATH_MAX];
  pthread_mutex_lock(&order);
  int result = NEXT(renameat)(folder, name, other_folder, other);
  const char *from = name_in(folder, name, path), *to = name_in(other_folder, other, other_path);
  if (result == 0 && from && to) note("rename %s %s\n", from, to);
  leave();
  return result;
}

int rename(const char *name, const char *other) { return renameat(AT_FDCWD, name, AT_FDCWD, other); }

int unlinkat(int folder, const char *name, int flags) {
  char path[PATH_MAX];
  pthread_mutex_lock(&order);
  int result = NEXT(unlinkat)(folder, name, flags);
  const char *found = name_in(folder, name, path);
  if (result == 0 && found) note("unlink %s\n", found);
  leave();
  return result;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

int mkdirat(int folder, const char *name, mode_t mode) {
  char path[PATH_MAX];
  pthread_mutex_lock(&order);
  int result = NEXT(mkdirat)(folder, name, mode);
  const char *found = name_in(folder, name, path);
  if (result == 0 && found) note("mkdir %s\n", found);
  leave();
  return result;
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
