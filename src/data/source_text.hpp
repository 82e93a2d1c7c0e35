// All of a source as text: mapped where it is a plain file, else held.
#pragma once

#include <string>
#include <string_view>

namespace priorfit::internal {

/// "-" is standard input. gzip is undone, within the bound of FileSource.
class SourceText {
 public:
  explicit SourceText(const std::string& source);
  ~SourceText();
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  std::string_view text() const { return text_; }
  /// Takes the place of the text that was read: another form of it.
  void replace(std::string text);

 private:
  std::string held_;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  std::string_view text_;
};

/// What messages call a source.
std::string source_name(const std::string& source);

}  // namespace priorfit::internal
