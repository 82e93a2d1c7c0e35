#include "arrays/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

using test::expect_error;
using test::read_all;
using ::testing::ElementsAre;
using Kind = NpyType::Kind;

std::string fixture(const std::string& name) {
  return std::string(PRIORFIT_TESTS) + "/data/fixtures/npy/" + name + ".npy";
}

NpyArray read_fixture(const std::string& name) {
  FileSource source(fixture(name));
  return read_npy(source);
}

NpyArray read_bytes(std::string_view bytes) {
  MemorySource source(bytes, "x.npy");
  return read_npy(source);
}

Matrix counting(Index rows, Index columns) {
  return Vector::LinSpaced(rows * columns, 0, double(rows * columns - 1)).reshaped<Eigen::RowMajor>(rows, columns);
}

std::string with_header(const std::string& dictionary, const std::string& values = "") {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size() & 0xff);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + values;
}

TEST(ReadNpy, ReadsEveryTypeInBothOrdersAndEndiannesses) {
  for (const std::string type : {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}) {
    Matrix expected = counting(3, 4);
    if (type[0] != 'u') expected.array() -= 5;
    if (type[0] == 'f') expected *= 0.5;
    for (const char* suffix : {"", "_big", "_fortran"}) {
      const NpyArray array = read_fixture(type + suffix);
      EXPECT_EQ(array.values, expected) << type << suffix;
      EXPECT_THAT(array.header.shape, ElementsAre(3, 4));
      EXPECT_EQ(array.header.type.bytes, type[1] - '0');
      EXPECT_EQ(array.header.type.is_integer(), type[0] != 'f');
    }
  }
  EXPECT_EQ(read_fixture("bool").values, (Matrix(3, 4) << 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0).finished());
  EXPECT_EQ(read_fixture("bool").header.type.kind, Kind::boolean);
}

// NumPy takes every byte but 0 for true.
TEST(ReadNpy, ReadsTruthAsZeroOrOne) {
  const NpyArray array =
      read_bytes(with_header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", {4, 0, 1}));
  EXPECT_EQ(array.values, (Matrix(3, 1) << 1, 0, 1).finished());
}

TEST(ReadNpy, ReadsEveryNumberOfDimensions) {
  EXPECT_EQ(read_fixture("scalar").values, (Matrix(1, 1) << 7).finished());
  EXPECT_EQ(read_fixture("vector").values, (Matrix(3, 1) << 1.5, -2, 1e300).finished());
  EXPECT_EQ(read_fixture("cube").values, counting(2, 12));
  EXPECT_EQ(read_fixture("cube_fortran").values, counting(2, 12));
  EXPECT_THAT(read_fixture("cube").header.shape, ElementsAre(2, 3, 4));
}

TEST(ReadNpy, ReadsVersionsTwoAndThree) {
  EXPECT_EQ(read_fixture("version2").values, counting(3, 4));
  EXPECT_EQ(read_fixture("version3").values, counting(3, 4));
}

TEST(ReadNpy, RefusesWhatIsNotAPlainNumber) {
  expect_error(
      ErrorKind::data, [] { read_fixture("object"); }, "object.npy", "Python objects (dtype object)", "astype");
  expect_error(
      ErrorKind::data, [] { read_fixture("complex"); }, "'<c16'");
  expect_error(
      ErrorKind::data, [] { read_fixture("structured"); }, "structured");
}

TEST(ReadNpy, RefusesAWrongSize) {
  const std::string whole = read_all(fixture("f8"));
  expect_error(
      ErrorKind::data, [&] { read_bytes(whole.substr(0, whole.size() - 40)); }, "ends before", "(3, 4)");
  expect_error(
      ErrorKind::data, [&] { read_bytes(whole + "x"); }, "more bytes follow", "(3, 4)");
  expect_error(
      ErrorKind::data, [&] { read_bytes(whole.substr(0, 20)); }, "ends inside the npy header");
  expect_error(
      ErrorKind::data, [] { read_bytes(""); }, "not an npy file");
  expect_error(
      ErrorKind::data, [] { read_bytes("a,b\n1,2\n"); }, "not an npy file");
}

TEST(ReadNpy, AllocatesNothingForAShapeThatTheFileCannotHold) {
  const auto shaped = [](const std::string& shape) {
    return with_header("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }", "12345678");
  };
  expect_error(
      ErrorKind::data, [&] { read_bytes(shaped("(1000000000000,)")); }, "more than the file holds");
  expect_error(
      ErrorKind::data, [&] { read_bytes(shaped("(4294967296, 4294967296)")); }, "overflows");
  expect_error(
      ErrorKind::data, [&] { read_bytes(shaped("(99999999999999999999999,)")); }, "overflows");
  expect_error(
      ErrorKind::data, [&] { read_bytes(shaped("(0, 4294967296, 4294967296)")); }, "holds no values");
  EXPECT_EQ(read_bytes(shaped("(1,)")).values.size(), 1);
}

TEST(ReadNpy, RefusesAMalformedHeader) {
  for (const char* header : {"", "{}", "[1]", "{'descr': '<f8'", "{'descr': '<f8', 'fortran_order': False}",
                             "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}", "{'descr: 1"}) {
    expect_error(
        ErrorKind::data, [&] { read_bytes(with_header(header, "12345678")); }, "malformed");
  }
  expect_error(
      ErrorKind::data, [] { read_bytes(std::string("\x93NUMPY\x09\x00\x10\x00", 10)); }, "version 9");
  expect_error(
      ErrorKind::data, [] { read_bytes(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12)); }, "not plausible");
}

TEST(NpyBytes, AreNumpysOwn) {
  EXPECT_EQ(npy_bytes(Matrix(counting(3, 4).array() * 0.5 - 2.5)), read_all(fixture("f8")));
  const std::vector<float> values = {-2.5F, -2, -1.5F, -1, -0.5F, 0, 0.5F, 1, 1.5F, 2, 2.5F, 3};
  EXPECT_EQ(npy_bytes(values.data(), {3, 4}), read_all(fixture("f4")));
  EXPECT_EQ(npy_bytes((Matrix(3, 1) << 1.5, -2, 1e300).finished(), {3}), read_all(fixture("vector")));
}

TEST(NpyBytes, WritesStridedRows) {
  const Matrix whole = counting(4, 6);
  EXPECT_EQ(read_bytes(npy_bytes(whole.block(1, 2, 2, 3))).values, whole.block(1, 2, 2, 3));
}

RC_GTEST_PROP(ReadNpy, NeverDoesMoreThanThrowOnDamagedBytes, ()) {
  std::string bytes = read_all(fixture("f8"));
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) bytes[*rc::gen::inRange<std::size_t>(0, 128)] = *rc::gen::arbitrary<char>();
  try {
    read_bytes(bytes);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::data);
  }
}

}  // namespace
}  // namespace priorfit
