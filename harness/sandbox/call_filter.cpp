// The system calls that are refused with EPERM, so that a program that tries them gets an error and
// continues. All others are allowed: the CUDA driver uses many that no list could foresee.
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "harness/sandbox/confine.h"

namespace ridge::sandbox {

namespace {

// By name, because the distribution's headers are older than some calls. A call that libseccomp
// does not know does not exist for it either.
constexpr const char* kRefused[] = {
    // Other processes: starting them, inspecting them, taking their descriptors.
    "fork", "vfork", "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "process_madvise", "kcmp",
    // Interfaces that bypass all other rules.
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd", "perf_event_open",
    // Namespaces, mounts, keys, the machine.
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "move_mount",
    "open_tree", "mount_setattr", "add_key", "request_key", "keyctl", "init_module", "finit_module",
    "delete_module", "kexec_load", "kexec_file_load", "open_by_handle_at", "swapon", "swapoff", "reboot",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "acct", "quotactl", "sethostname",
    "personality",
    // Code that would run after the student's function has returned.
    "timer_create", "setitimer", "alarm"};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {}
  ~Filter() {
    if (context_) seccomp_release(context_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  void refuse(const char* name, int error = EPERM) {
    int call = seccomp_syscall_resolve_name(name);
    if (call != __NR_SCMP_ERROR) seccomp_rule_add(context_, SCMP_ACT_ERRNO(error), call, 0);
  }
  void refuse_if(const char* name, scmp_arg_cmp condition) {
    seccomp_rule_add(context_, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name), 1, condition);
  }
  void refuse_if(const char* name, scmp_arg_cmp first, scmp_arg_cmp second) {
    seccomp_rule_add(context_, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name), 2, first, second);
  }
  bool load() { return context_ && seccomp_load(context_) == 0; }
  explicit operator bool() const { return context_ != nullptr; }

 private:
  scmp_filter_ctx context_;
};

}  // namespace

bool filter_calls(bool allow_loopback) {
#if defined(__SANITIZE_ADDRESS__)
  return false;  // the leak checker starts a process
#endif
  Filter filter;
  if (!filter) return false;
  for (const char* name : kRefused)
    filter.refuse(name);
  // The inherited descriptors (socket, shared memory, and the report if there is one) can be
  // neither closed nor replaced. A number that is not open now remains available for the program's
  // own files.
  for (const scmp_datum_t handed_on : {scmp_datum_t{3}, scmp_datum_t{4}, scmp_datum_t{5}}) {
    if (fcntl(static_cast<int>(handed_on), F_GETFD) == -1) continue;
    filter.refuse_if("close", SCMP_A0(SCMP_CMP_EQ, handed_on));
    filter.refuse_if("dup2", SCMP_A1(SCMP_CMP_EQ, handed_on));
    filter.refuse_if("dup3", SCMP_A1(SCMP_CMP_EQ, handed_on));
  }
  filter.refuse("close_range");
  // /proc/self/mem bypasses page protection, including that of the virtual GPU's device memory. A
  // filter cannot see the name in open, so large offsets are refused instead: no file of the child
  // is that large.
  constexpr scmp_datum_t kLargestOffset = scmp_datum_t{1} << 33, kLargestStep = 1 << 16;
  for (const char* at_offset : {"pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2"})
    filter.refuse_if(at_offset, SCMP_A3(SCMP_CMP_GT, kLargestOffset));
  filter.refuse_if("lseek", SCMP_A2(SCMP_CMP_EQ, SEEK_SET), SCMP_A1(SCMP_CMP_GT, kLargestOffset));
  filter.refuse_if("lseek", SCMP_A2(SCMP_CMP_EQ, SEEK_CUR), SCMP_A1(SCMP_CMP_GT, kLargestStep));
  // The flags of clone3 are in memory, which a filter cannot read; if it fails, the C library uses
  // clone.
  filter.refuse("clone3", ENOSYS);
  filter.refuse_if("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  // Sockets of other programs. The driver binds one of its own. In a network of its own a process can
  // reach itself alone, by internet sockets and by the names of abstract ones.
  if (!allow_loopback) {
    filter.refuse("connect");
    filter.refuse_if("socket", SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    filter.refuse_if("sendto", SCMP_A4(SCMP_CMP_NE, 0));  // refuses a destination address
  } else {
    for (int family = 0; family < AF_MAX; ++family)
      if (family != AF_UNIX && family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
        filter.refuse_if("socket", SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family)));
    filter.refuse_if("socket", SCMP_A0(SCMP_CMP_GE, AF_MAX));
  }
  auto self = static_cast<scmp_datum_t>(getpid());
  for (const char* signalling : {"kill", "tkill", "rt_sigqueueinfo"})
    filter.refuse_if(signalling, SCMP_A0(SCMP_CMP_NE, self));
  for (const char* signalling : {"tgkill", "rt_tgsigqueueinfo"})
    filter.refuse_if(signalling, SCMP_A0(SCMP_CMP_NE, self));
  // The parent must be able to inspect the process, and the process must die with it.
  for (unsigned long option : {PR_SET_DUMPABLE, PR_SET_PDEATHSIG, PR_SET_PTRACER})
    filter.refuse_if("prctl", SCMP_A0(SCMP_CMP_EQ, option));
  return filter.load();
}

}  // namespace ridge::sandbox
