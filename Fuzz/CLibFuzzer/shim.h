#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry point for programs with their own main; the header that declares it does not come with Swift.
// Source: compiler-rt/lib/fuzzer/FuzzerInterface.h, https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
