#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <linux/filter.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Keeps the reports that the kernel tells of on a management socket out of it: events 0x0012 (Device Found) and 0x002f
// (Advertisement Monitor Device Found), one for each advertisement. Numbers are little-endian in the packet, and read
// big-endian by the filter. 0, or -1 as errno says.
static inline int bluetooth_leave_reports_out(int descriptor) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1200, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x2f00, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    BPF_STMT(BPF_RET | BPF_K, 0),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

// Packets that found no room in a socket's buffer so far; -1 where the kernel does not say. Source: Linux 6.1,
// include/uapi/linux/sock_diag.h, SK_MEMINFO_DROPS.
static inline long bluetooth_dropped(int descriptor) {
  unsigned int values[9] = {0};
  socklen_t size = sizeof values;
  if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, values, &size) || size < sizeof values) return -1;
  return values[8];
}

// Resets a USB device by its node. Source: Linux 6.1, include/uapi/linux/usbdevice_fs.h, USBDEVFS_RESET.
static inline int bluetooth_reset_usb(int descriptor) { return ioctl(descriptor, _IO('U', 20)); }
