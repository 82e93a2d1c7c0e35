#include "data/jpeg.hpp"

#include <csetjmp>
#include <cstdio>
// After <cstdio>, whose types it uses.
#include <jpeglib.h>

namespace priorfit::internal {
namespace {

constexpr int most_scans = 200;                // a few kilobytes can ask for thousands of passes over a picture
constexpr long most_held = 96L * 1024 * 1024;  // bytes of a progressive picture, which is decoded as a whole

struct Failure {
  jpeg_error_mgr manager;  // first: libjpeg hands out a pointer to it
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  info->err->format_message(info, failure->message);
  std::longjmp(failure->back, 1);
}

void say_nothing(j_common_ptr) {}

// A picture that is cut short is an error, not a grey patch.
void refuse_warnings(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

void bound_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > most_scans) {
    info->err->msg_code = 0;
    auto* failure = reinterpret_cast<Failure*>(info->err);
    std::snprintf(failure->message, sizeof failure->message, "more than %d scans", most_scans);
    std::longjmp(failure->back, 1);
  }
}

// Everything that libjpeg needs, without a destructor: jumps cross no object that has one.
struct Decoder {
  jpeg_decompress_struct info;
  Failure failure;
  jpeg_progress_mgr progress;
  bool ok;
};

void start(Decoder& decoder, std::string_view bytes) {
  decoder.info.err = jpeg_std_error(&decoder.failure.manager);
  decoder.failure.manager.error_exit = fail;
  decoder.failure.manager.output_message = say_nothing;
  decoder.failure.manager.emit_message = refuse_warnings;
  decoder.failure.message[0] = '\0';
  jpeg_create_decompress(&decoder.info);
  decoder.progress.progress_monitor = bound_scans;
  decoder.info.progress = &decoder.progress;
  decoder.info.mem->max_memory_to_use = most_held;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder.info, TRUE);
}

void read_header(Decoder& decoder, std::string_view bytes) {
  if (setjmp(decoder.failure.back) != 0) return;
  start(decoder, bytes);
  decoder.ok = true;
}

void read_pixels(Decoder& decoder, unsigned char* out, Index channels) {
  if (setjmp(decoder.failure.back) != 0) {
    decoder.ok = false;
    return;
  }
  jpeg_decompress_struct& info = decoder.info;
  info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = out + std::size_t{info.output_scanline} * info.output_width * static_cast<std::size_t>(channels);
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
}

std::string problem_of(const Decoder& decoder) {
  return decoder.failure.message[0] != '\0' ? decoder.failure.message : "damaged";
}

}  // namespace

PictureHead jpeg_head(std::string_view bytes) {
  Decoder decoder{};
  read_header(decoder, bytes);
  PictureHead head;
  if (!decoder.ok) {
    head.problem = problem_of(decoder);
  } else if (decoder.info.num_components == 4) {
    head.problem = "four inks (CMYK); save it with red, green and blue";
  }
  head.shape = {Index{decoder.info.image_width}, Index{decoder.info.image_height},
                decoder.info.num_components == 1 ? 1 : 3};
  jpeg_destroy_decompress(&decoder.info);
  return head;
}

Picture decode_jpeg(std::string_view bytes, const PictureShape& shape) {
  // Memory first: what throws must not leave libjpeg's state behind.
  Picture picture{shape, std::vector<unsigned char>(static_cast<std::size_t>(shape.values())), ""};
  Decoder decoder{};
  read_header(decoder, bytes);
  if (decoder.ok) read_pixels(decoder, picture.bytes.data(), shape.channels);
  jpeg_destroy_decompress(&decoder.info);
  if (!decoder.ok) picture.problem = problem_of(decoder);
  return picture;
}

}  // namespace priorfit::internal
