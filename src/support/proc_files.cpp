#include "support/proc_files.hpp"

#include <fstream>
#include <string>

namespace priorfit::internal {

std::uint64_t read_number(const std::filesystem::path& path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : otherwise;
}

std::uint64_t read_entry(const std::filesystem::path& path, std::string_view wanted, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::string name, rest;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    std::getline(file, rest);
    if (name == wanted) return value;
  }
  return otherwise;
}

}  // namespace priorfit::internal
