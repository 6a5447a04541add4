/* Counts heap calls of the program it is preloaded into, and prints them to standard error at its end:
 *
 *   gcc -O2 -shared -fPIC -o alloccount.so alloccount.c
 *   LD_PRELOAD=./alloccount.so PROGRAM ARGUMENT...
 *
 * The difference between two sizes of input is the steady state. glibc only.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong calls, octets;

static void count(size_t size) {
  atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&octets, size, memory_order_relaxed);
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count(number * size);
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count(size);
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(size);
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12; /* ENOMEM */
}

__attribute__((destructor)) static void print(void) {
  fprintf(stderr, "allocations %lu octets %lu\n", atomic_load(&calls), atomic_load(&octets));
}
