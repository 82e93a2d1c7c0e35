// Preloaded into a program, makes one of its system calls or allocations fail. PRIORFIT_FAULT says which:
//
//     open:3            the third open that may create a file     EACCES
//     write:3           the third write to a file                 ENOSPC, after half of the bytes
//     sync:3            the third fsync or fdatasync              EIO
//     rename:3          the third rename                          EIO
//     mkdir:3           the third folder made                     EROFS
//     memory:3          the third allocation of 64 kB or more     no memory
//
// Everything before and after succeeds. The file named by PRIORFIT_FAULT_REACHED appears when the call comes.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

constexpr size_t large = 64 * 1024;
std::atomic<long> calls{0};

/// Whether this call, of the given kind, is the one that is to fail. Allocates nothing.
bool fails(const char* kind) {
  static const char* const wanted = getenv("PRIORFIT_FAULT");
  const size_t length = strlen(kind);
  if (wanted == nullptr || strncmp(wanted, kind, length) != 0 || wanted[length] != ':') return false;
  if (++calls != atol(wanted + length + 1)) return false;
  if (const char* reached = getenv("PRIORFIT_FAULT_REACHED")) {
    const long descriptor = syscall(SYS_openat, AT_FDCWD, reached, O_WRONLY | O_CREAT, 0600);
    if (descriptor >= 0) syscall(SYS_close, descriptor);
  }
  return true;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int fail(int reason) {
  errno = reason;
  return -1;
}

bool is_file(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

#define PRIORFIT_OPEN(name)                                               \
  int name(const char* path, int flags, ...) {                            \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    const mode_t mode = mode_of(flags, arguments);                        \
    va_end(arguments);                                                    \
    if ((flags & O_CREAT) != 0 && fails("open")) return fail(EACCES);     \
    static const auto real = next<int (*)(const char*, int, ...)>(#name); \
    return real(path, flags, mode);                                       \
  }
PRIORFIT_OPEN(open)
PRIORFIT_OPEN(open64)

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (!is_file(descriptor) || !fails("write")) return real(descriptor, bytes, count);
  if (count > 1) real(descriptor, bytes, count / 2);
  return fail(ENOSPC);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  if (!is_file(descriptor) || !fails("write")) return real(descriptor, bytes, count, offset);
  if (count > 1) real(descriptor, bytes, count / 2, offset);
  return fail(ENOSPC);
}

int fsync(int descriptor) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails("sync") ? fail(EIO) : real(descriptor);
}

int fdatasync(int descriptor) {
  static const auto real = next<int (*)(int)>("fdatasync");
  return fails("sync") ? fail(EIO) : real(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails("rename") ? fail(EIO) : real(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return fails("mkdir") ? fail(EROFS) : real(path, mode);
}

void* malloc(size_t size) noexcept {
  if (size < large || !fails("memory")) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(size_t count, size_t size) noexcept {
  if (count * size < large || !fails("memory")) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* block, size_t size) noexcept {
  if (size < large || !fails("memory")) return __libc_realloc(block, size);
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(size_t alignment, size_t size) noexcept {
  if (size < large || !fails("memory")) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  if (size >= large && fails("memory")) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block != nullptr ? 0 : ENOMEM;
}

}  // extern "C"
