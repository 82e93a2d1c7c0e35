#include "memory_files.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace priorfit::fuzz {
namespace {

constexpr int first_descriptor = 1 << 20;  // far above those of the system

struct File {
  std::string bytes;
  ino_t number = 0;
};

/// By whole path; a folder is whatever stands before a '/'.
std::map<std::string, std::shared_ptr<File>, std::less<>>& files() {
  static std::map<std::string, std::shared_ptr<File>, std::less<>> all;
  return all;
}

ino_t next_number = 1000;

struct Open {
  std::shared_ptr<File> file;  // none for a folder
  std::string folder;
  off_t place = 0;
  bool used = false, appends = false;
};

std::vector<Open>& opened() {
  static std::vector<Open> all;
  return all;
}

struct Listing {
  int descriptor = 0;
  std::vector<std::string> names;
  std::vector<bool> are_folders;
  std::size_t next = 0;
  dirent entry{};
};

std::vector<Listing*>& listings() {
  static std::vector<Listing*> all;
  return all;
}

bool is_ours(const char* path) {
  return path != nullptr && std::strncmp(path, "/memory", 7) == 0 && (path[7] == '/' || path[7] == '\0');
}
bool is_ours(int descriptor) { return descriptor >= first_descriptor; }

/// Null, with errno, for one that is not open.
Open* open_at(int descriptor) {
  const auto place = static_cast<std::size_t>(descriptor - first_descriptor);
  if (place < opened().size() && opened()[place].used) return &opened()[place];
  errno = EBADF;
  return nullptr;
}

File* file_at(int descriptor) {
  Open* const open = open_at(descriptor);
  if (open == nullptr) return nullptr;
  if (!open->file) errno = EISDIR;
  return open->file.get();
}

std::string_view without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool is_folder(std::string_view path) {
  const std::string beginning = std::string(without_slash(path)) + '/';
  const auto place = files().lower_bound(beginning);
  return place != files().end() && place->first.starts_with(beginning);
}

int new_descriptor(Open open) {
  open.used = true;
  auto place = std::find_if(opened().begin(), opened().end(), [](const Open& other) { return !other.used; });
  if (place == opened().end()) place = opened().insert(place, Open());
  *place = std::move(open);
  return first_descriptor + static_cast<int>(place - opened().begin());
}

int fail(int reason) {
  errno = reason;
  return -1;
}

int open_path(const char* path, int flags) {
  const std::string_view name = without_slash(path);
  auto place = files().find(name);
  if (place == files().end() && is_folder(name)) {
    if ((flags & O_ACCMODE) != O_RDONLY) return fail(EISDIR);
    return new_descriptor({.file = nullptr, .folder = std::string(name)});
  }
  if ((flags & O_DIRECTORY) != 0) return fail(place == files().end() ? ENOENT : ENOTDIR);
  if (place == files().end()) {
    if ((flags & O_CREAT) == 0) return fail(ENOENT);
    place = files().emplace(name, std::make_shared<File>(File{{}, next_number++})).first;
  } else if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
    return fail(EEXIST);
  }
  if ((flags & O_TRUNC) != 0) place->second->bytes.clear();
  return new_descriptor({.file = place->second, .folder = {}, .appends = (flags & O_APPEND) != 0});
}

ssize_t read_at(const File& file, void* buffer, std::size_t size, off_t place) {
  const auto begin = static_cast<std::size_t>(place);
  if (begin >= file.bytes.size()) return 0;
  const std::size_t count = std::min(size, file.bytes.size() - begin);
  std::memcpy(buffer, file.bytes.data() + begin, count);
  return static_cast<ssize_t>(count);
}

ssize_t write_at(File& file, const void* buffer, std::size_t size, off_t place) {
  const auto begin = static_cast<std::size_t>(place);
  if (file.bytes.size() < begin + size) {
    if (file.bytes.capacity() < begin + size) file.bytes.reserve(2 * (begin + size));
    file.bytes.resize(begin + size);
  }
  std::memcpy(file.bytes.data() + begin, buffer, size);
  return static_cast<ssize_t>(size);
}

int describe(const File* file, struct stat* status) {
  *status = {};
  status->st_dev = 77;
  status->st_nlink = 1;
  static const uid_t user = getuid();
  status->st_uid = user;
  status->st_blksize = 4096;
  status->st_mode = file == nullptr ? S_IFDIR | 0755 : S_IFREG | 0644;
  if (file == nullptr) return 0;
  status->st_ino = file->number;
  status->st_size = static_cast<off_t>(file->bytes.size());
  for (const auto& [name, other] : files()) {
    if (other.get() == file) return 0;
  }
  status->st_nlink = 0;
  return 0;
}

int describe(const char* path, struct stat* status) {
  const auto place = files().find(without_slash(path));
  if (place != files().end()) return describe(place->second.get(), status);
  return is_folder(path) ? describe(static_cast<const File*>(nullptr), status) : fail(ENOENT);
}

Listing* listing_of(int descriptor) {
  const Open* const open = open_at(descriptor);
  if (open == nullptr) return nullptr;
  const std::string beginning = open->folder + '/';
  auto listing = std::make_unique<Listing>();
  listing->descriptor = descriptor;
  for (auto place = files().lower_bound(beginning); place != files().end() && place->first.starts_with(beginning);
       ++place) {
    const std::string_view rest = std::string_view(place->first).substr(beginning.size());
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    if (!listing->names.empty() && listing->names.back() == name) continue;
    listing->names.emplace_back(name);
    listing->are_folders.push_back(slash != std::string_view::npos);
  }
  listings().push_back(listing.get());
  return listing.release();
}

Listing* our_listing(const void* handle) {
  for (Listing* const listing : listings()) {
    if (listing == handle) return listing;
  }
  return nullptr;
}

dirent* next_entry(Listing& listing) {
  if (listing.next == listing.names.size()) return nullptr;
  const std::string& name = listing.names[listing.next];
  listing.entry.d_ino = 1 + listing.next;
  listing.entry.d_type = listing.are_folders[listing.next] ? DT_DIR : DT_REG;
  std::snprintf(listing.entry.d_name, sizeof listing.entry.d_name, "%s", name.c_str());
  ++listing.next;
  return &listing.entry;
}

ssize_t read_next(int descriptor, void* buffer, std::size_t size) {
  const File* const file = file_at(descriptor);
  if (file == nullptr) return -1;
  const ssize_t count = read_at(*file, buffer, size, open_at(descriptor)->place);
  open_at(descriptor)->place += count;
  return count;
}

ssize_t write_next(int descriptor, const void* buffer, std::size_t size) {
  File* const file = file_at(descriptor);
  if (file == nullptr) return -1;
  Open& open = *open_at(descriptor);
  if (open.appends) open.place = static_cast<off_t>(file->bytes.size());
  open.place += write_at(*file, buffer, size, open.place);
  return static_cast<ssize_t>(size);
}

off_t seek(int descriptor, off_t offset, int from) {
  const File* const file = file_at(descriptor);
  if (file == nullptr) return -1;
  Open& open = *open_at(descriptor);
  const off_t begin = from == SEEK_SET ? 0 : from == SEEK_CUR ? open.place : static_cast<off_t>(file->bytes.size());
  if (begin + offset < 0) return fail(EINVAL);
  return open.place = begin + offset;
}

int close_descriptor(int descriptor) {
  Open* const open = open_at(descriptor);
  if (open == nullptr) return -1;
  *open = Open();
  return 0;
}

/// A stream that libzip reads by.
FILE* stream_of(int descriptor, const char* mode) {
  const auto number = [](void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); };
  static const auto descriptor_of = +number;
  cookie_io_functions_t functions{};
  functions.read = [](void* cookie, char* buffer, std::size_t size) {
    return read_next(descriptor_of(cookie), buffer, size);
  };
  functions.seek = [](void* cookie, off64_t* offset, int from) {
    *offset = seek(descriptor_of(cookie), *offset, from);
    return *offset < 0 ? -1 : 0;
  };
  functions.close = [](void* cookie) { return close_descriptor(descriptor_of(cookie)); };
  FILE* const stream = fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), mode, functions);
  if (stream != nullptr) stream->_fileno = descriptor;
  return stream;
}

int control(int command, void* argument) {
  if (command == F_GETLK) static_cast<struct flock*>(argument)->l_type = F_UNLCK;
  return 0;  // one process, one thread: every lock is free
}

int truncate(int descriptor, off_t size) {
  File* const file = file_at(descriptor);
  if (file == nullptr) return -1;
  file->bytes.resize(static_cast<std::size_t>(size));
  return 0;
}

int rename_path(const char* from, const char* to) {
  const auto place = files().find(std::string_view(from));
  if (place == files().end()) return fail(ENOENT);
  auto file = place->second;
  files().erase(place);
  files()[to] = std::move(file);
  return 0;
}

int unlink_path(const char* path) {
  const auto place = files().find(std::string_view(path));
  if (place == files().end()) return fail(ENOENT);
  files().erase(place);
  return 0;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void set_file(const std::string& path, std::string_view bytes) {
  std::shared_ptr<File>& file = files()[path];
  if (!file) file = std::make_shared<File>(File{{}, next_number++});
  file->bytes.assign(bytes);
}

const std::string* find_file(const std::string& path) {
  const auto place = files().find(path);
  return place == files().end() ? nullptr : &place->second->bytes;
}

void remove_file(const std::string& path) { files().erase(path); }

}  // namespace priorfit::fuzz

using namespace priorfit::fuzz;

// Each under the name that stands in libc, and under that with 64 where there is one. Declared by another name, since
// libc's headers have their own opinion of what throws.
#define PRIORFIT_IN_MEMORY(type, name, parameters, arguments, ours, inside) \
  extern "C" type memory_##name parameters asm(#name);                      \
  extern "C" type memory_##name parameters {                                \
    if (is_ours(ours)) return inside;                                       \
    static auto* const outside = real<type parameters>(#name);              \
    return outside arguments;                                               \
  }
#define PRIORFIT_IN_MEMORY_64(type, name, parameters, arguments, ours, inside) \
  PRIORFIT_IN_MEMORY(type, name, parameters, arguments, ours, inside)          \
  PRIORFIT_IN_MEMORY(type, name##64, parameters, arguments, ours, inside)

PRIORFIT_IN_MEMORY_64(int, open, (const char* path, int flags, unsigned mode), (path, flags, mode), path,
                      open_path(path, flags))
PRIORFIT_IN_MEMORY_64(int, openat, (int folder, const char* path, int flags, unsigned mode),
                      (folder, path, flags, mode), path, open_path(path, flags))
PRIORFIT_IN_MEMORY(int, close, (int descriptor), (descriptor), descriptor, close_descriptor(descriptor))
PRIORFIT_IN_MEMORY(ssize_t, read, (int descriptor, void* buffer, std::size_t size), (descriptor, buffer, size),
                   descriptor, read_next(descriptor, buffer, size))
PRIORFIT_IN_MEMORY_64(ssize_t, pread, (int descriptor, void* buffer, std::size_t size, off_t place),
                      (descriptor, buffer, size, place), descriptor,
                      file_at(descriptor) != nullptr ? read_at(*file_at(descriptor), buffer, size, place) : -1)
PRIORFIT_IN_MEMORY(ssize_t, write, (int descriptor, const void* buffer, std::size_t size), (descriptor, buffer, size),
                   descriptor, write_next(descriptor, buffer, size))
PRIORFIT_IN_MEMORY_64(ssize_t, pwrite, (int descriptor, const void* buffer, std::size_t size, off_t place),
                      (descriptor, buffer, size, place), descriptor,
                      file_at(descriptor) != nullptr ? write_at(*file_at(descriptor), buffer, size, place) : -1)
PRIORFIT_IN_MEMORY_64(off_t, lseek, (int descriptor, off_t offset, int from), (descriptor, offset, from), descriptor,
                      seek(descriptor, offset, from))
PRIORFIT_IN_MEMORY_64(int, fstat, (int descriptor, struct stat* status), (descriptor, status), descriptor,
                      open_at(descriptor) != nullptr ? describe(open_at(descriptor)->file.get(), status) : -1)
PRIORFIT_IN_MEMORY_64(int, stat, (const char* path, struct stat* status), (path, status), path, describe(path, status))
PRIORFIT_IN_MEMORY_64(int, lstat, (const char* path, struct stat* status), (path, status), path, describe(path, status))
PRIORFIT_IN_MEMORY(int, access, (const char* path, int mode), (path, mode), path,
                   files().contains(without_slash(path)) || is_folder(path) ? 0 : fail(ENOENT))
PRIORFIT_IN_MEMORY(ssize_t, readlink, (const char* path, char* buffer, std::size_t size), (path, buffer, size), path,
                   fail(EINVAL))
PRIORFIT_IN_MEMORY(int, unlink, (const char* path), (path), path, unlink_path(path))
PRIORFIT_IN_MEMORY(int, remove, (const char* path), (path), path, unlink_path(path))
PRIORFIT_IN_MEMORY(int, rename, (const char* from, const char* to), (from, to), from, rename_path(from, to))
PRIORFIT_IN_MEMORY_64(int, fcntl, (int descriptor, int command, void* argument), (descriptor, command, argument),
                      descriptor, control(command, argument))
PRIORFIT_IN_MEMORY(int, flock, (int descriptor, int operation), (descriptor, operation), descriptor, 0)
PRIORFIT_IN_MEMORY(int, fsync, (int descriptor), (descriptor), descriptor, 0)
PRIORFIT_IN_MEMORY(int, fdatasync, (int descriptor), (descriptor), descriptor, 0)
PRIORFIT_IN_MEMORY_64(int, ftruncate, (int descriptor, off_t size), (descriptor, size), descriptor,
                      truncate(descriptor, size))
PRIORFIT_IN_MEMORY(int, fchmod, (int descriptor, mode_t mode), (descriptor, mode), descriptor, 0)
PRIORFIT_IN_MEMORY(int, fchown, (int descriptor, uid_t user, gid_t group), (descriptor, user, group), descriptor, 0)
PRIORFIT_IN_MEMORY(FILE*, fdopen, (int descriptor, const char* mode), (descriptor, mode), descriptor,
                   stream_of(descriptor, mode))
PRIORFIT_IN_MEMORY(DIR*, fdopendir, (int descriptor), (descriptor), descriptor,
                   reinterpret_cast<DIR*>(listing_of(descriptor)))

namespace priorfit::fuzz {
namespace {
bool is_ours(const DIR* listing) { return our_listing(listing) != nullptr; }

int close_listing(Listing* listing) {
  std::erase(listings(), listing);
  close_descriptor(listing->descriptor);
  delete listing;
  return 0;
}

/// A mapping of its own: SQLite asks for the index of its log, which one connection shares with nobody.
void* map_anew(std::size_t size, int protection) {
  static auto* const outside = real<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  return outside(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
}  // namespace
}  // namespace priorfit::fuzz

PRIORFIT_IN_MEMORY_64(dirent*, readdir, (DIR * listing), (listing), listing, next_entry(*our_listing(listing)))
PRIORFIT_IN_MEMORY(int, closedir, (DIR * listing), (listing), listing, close_listing(our_listing(listing)))
PRIORFIT_IN_MEMORY(int, dirfd, (DIR * listing), (listing), listing, our_listing(listing)->descriptor)
PRIORFIT_IN_MEMORY(void*, mmap64,
                   (void* where, std::size_t size, int protection, int flags, int descriptor, off_t place),
                   (where, size, protection, flags, descriptor, place), descriptor, map_anew(size, protection))
