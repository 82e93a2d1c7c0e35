// What tests of several layers share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "priorfit/error.hpp"
#include "priorfit/matrix.hpp"
#include "support/random.hpp"

namespace priorfit::test {

/// An empty folder that goes with the object.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "priorfit-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

/// The message of the Error(usage) that `call` throws.
inline std::string usage_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

/// Runs `action` and expects an Error of `kind` whose message holds each of `fragments`.
template <typename Action, typename... Fragments>
void expect_error(ErrorKind kind, Action action, const Fragments&... fragments) {
  try {
    action();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    for (const std::string& fragment : {std::string(fragments)...}) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(fragment));
    }
  }
}

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Independent standard normal entries.
inline Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Matrix out(rows, columns);
  internal::RandomStream(seed, internal::RandomUse::simulation).fill_normal(std::span<double>(out.data(), out.size()));
  return out;
}

}  // namespace priorfit::test
