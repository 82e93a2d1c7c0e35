// Weight files: bit-exact round trips, readable by others, damage refused.
#include "priorfit/weights.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "mlp/every_activation.hpp"
#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit {
using namespace internal;
namespace {

using nlohmann::json;
using test::read_all;
using test::Scratch;

Mlp example() {
  Mlp network = initialise({{7, 3}, {}}, 5, 2, LayerPrior{2.0, 0.5}, 1);
  network.layers[0].weights(0, 0) = -0.0F;
  network.layers[0].weights(0, 1) = std::numeric_limits<float>::denorm_min();
  network.layers[0].weights(0, 2) = std::numeric_limits<float>::max();
  return network;
}

bool same_bits(const float* a, const float* b, Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(float)) == 0;
}

void expect_same_bits(const Mlp& a, const Mlp& b) {
  ASSERT_EQ(a.layers.size(), b.layers.size());
  EXPECT_EQ(a.spec.hidden_widths, b.spec.hidden_widths);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    ASSERT_EQ(a.layers[l].weights.rows(), b.layers[l].weights.rows());
    ASSERT_EQ(a.layers[l].weights.cols(), b.layers[l].weights.cols());
    EXPECT_TRUE(same_bits(a.layers[l].weights.data(), b.layers[l].weights.data(), a.layers[l].weights.size()));
    EXPECT_TRUE(same_bits(a.layers[l].bias.data(), b.layers[l].bias.data(), a.layers[l].bias.size()));
  }
}

TEST(Weights, ReadBackBitForBit) {
  const Scratch scratch;
  const Mlp network = example();
  for (const std::string ending : {".safetensors", ".npz"}) {
    for (const WeightLayout layout : {WeightLayout::torch, WeightLayout::keras}) {
      const std::string path = scratch.path("w" + ending);
      save_weights(path, network, {.layout = layout, .metadata = {{"seed", "1"}}});
      const LoadedWeights loaded = load_weights(path);
      expect_same_bits(loaded.network, network);
      EXPECT_EQ(loaded.layout, layout);
      if (ending == ".safetensors") {
        EXPECT_EQ(loaded.metadata.at("seed"), "1");
      }
      const std::string once = read_all(path);
      save_weights(path, network, {.layout = layout, .metadata = {{"seed", "1"}}});
      EXPECT_EQ(read_all(path), once);
    }
  }
}

// Written from the specification, without a line of the library's reader.
struct PlainSafetensors {
  json header;
  std::string data;
};

PlainSafetensors parse_plainly(const std::string& bytes) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes.at(static_cast<std::size_t>(i)));
  return {json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

float float_at(const std::string& data, std::uint64_t offset) {
  std::uint32_t bits = 0;
  for (int i = 3; i >= 0; --i)
    bits = bits << 8 | static_cast<unsigned char>(data.at(offset + static_cast<std::size_t>(i)));
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void expect_tensor(const PlainSafetensors& file, const std::string& name, const FloatMatrix& expected,
                   const std::vector<Index>& shape) {
  const json& entry = file.header.at(name);
  EXPECT_EQ(entry.at("dtype"), "F32");
  EXPECT_EQ(entry.at("shape").get<std::vector<Index>>(), shape);
  const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
  const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
  ASSERT_EQ(end - begin, static_cast<std::uint64_t>(expected.size()) * 4);
  for (Index i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(float_at(file.data, begin + static_cast<std::uint64_t>(i) * 4), expected.data()[i]) << name << " " << i;
  }
}

TEST(Weights, SafetensorsIsToItsSpecification) {
  const Scratch scratch;
  const Mlp network = example();
  save_weights(scratch.path("w.safetensors"), network, {.layout = WeightLayout::torch, .metadata = {{"a", "b"}}});
  const std::string bytes = read_all(scratch.path("w.safetensors"));
  const PlainSafetensors file = parse_plainly(bytes);
  EXPECT_EQ(bytes[8], '{');
  EXPECT_EQ((bytes.size() - file.data.size()) % 8, 0U);  // padded so that the tensors are aligned
  EXPECT_EQ(file.header.at("__metadata__").at("a"), "b");
  EXPECT_EQ(file.header.at("__metadata__").at("activation"), "relu");
  EXPECT_EQ(file.header.at("__metadata__").at("crc32").get<std::string>().size(), 8U);
  EXPECT_EQ(file.header.size(), 7U);
  std::uint64_t total = 0;
  for (std::size_t l = 0; l < 3; ++l) {
    const DenseLayer& layer = network.layers[l];
    const std::string index = std::to_string(2 * l);
    expect_tensor(file, index + ".weight", layer.weights, {layer.outputs(), layer.inputs()});
    expect_tensor(file, index + ".bias", layer.bias, {layer.outputs()});
    total += static_cast<std::uint64_t>(layer.weights.size() + layer.bias.size()) * 4;
  }
  EXPECT_EQ(file.data.size(), total);
}

TEST(Weights, KerasLayoutIsTransposed) {
  const Scratch scratch;
  const Mlp network = example();
  save_weights(scratch.path("w.safetensors"), network, {.layout = WeightLayout::keras, .metadata = {}});
  const PlainSafetensors file = parse_plainly(read_all(scratch.path("w.safetensors")));
  expect_tensor(file, "Dense_1/kernel", network.layers[1].weights.transpose(), {7, 3});
  expect_tensor(file, "Dense_1/bias", network.layers[1].bias, {3});
}

TEST(Weights, NumpyReadsTheNpzInOrder) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no python3-numpy here";
  const Scratch scratch;
  const Mlp network = example();
  save_weights(scratch.path("w.npz"), network, {.layout = WeightLayout::keras, .metadata = {}});
  const std::string script = scratch.file("read.py", R"(
import sys, numpy
file = numpy.load(sys.argv[1], allow_pickle=False)
for name, array in file.items():
    assert array.dtype == numpy.float32
    print(name, array.shape, array.tobytes().hex())
)");
  const cli::Outcome outcome = cli::run_program({"/usr/bin/python3", script, scratch.path("w.npz")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::string expected;
  const auto add = [&](const std::string& name, const std::string& shape, const FloatMatrix& values) {
    expected += name + " " + shape + " ";
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (Index i = 0; i < values.size() * 4; ++i) {
      char text[3];
      std::snprintf(text, sizeof text, "%02x", bytes[i]);
      expected += text;
    }
    expected += "\n";
  };
  const std::vector<std::string> shapes = {"(5, 7)", "(7,)", "(7, 3)", "(3,)", "(3, 2)", "(2,)"};
  for (std::size_t l = 0; l < 3; ++l) {
    const std::string name = "Dense_" + std::to_string(l);
    add(name + "/kernel", shapes[2 * l], network.layers[l].weights.transpose());
    add(name + "/bias", shapes[2 * l + 1], network.layers[l].bias);
  }
  EXPECT_EQ(outcome.out, expected);
}

TEST(Weights, ActivationIsReadBack) {
  const Scratch scratch;
  for (const Activation& activation : test::every_activation()) {
    const Mlp network = initialise({{4, 3}, activation}, 5, 2, LayerPrior{}, 1);
    for (const WeightLayout layout : {WeightLayout::torch, WeightLayout::keras}) {
      const std::string path = scratch.path("w.safetensors");
      save_weights(path, network, {.layout = layout});
      if (activation.kind() == Activation::Kind::custom) {
        EXPECT_EQ(load_weights(path, activation).network.spec.activation, activation);
      } else {
        EXPECT_EQ(load_weights(path).network.spec.activation, activation) << activation.name();
      }
    }
  }
}

std::string load_message(const std::string& path, ErrorKind kind = ErrorKind::data,
                         const std::optional<Activation>& activation = {}) {
  try {
    load_weights(path, activation);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Weights, AnActivationOfYourOwnIsGivenToBeReadBack) {
  const Scratch scratch;
  const Activation cube = Activation::custom("cube", [](double x) { return x * x * x; });
  const Mlp network = initialise({{4, 3}, cube}, 5, 2, LayerPrior{}, 1);
  const std::string file = scratch.path("w.safetensors"), arrays = scratch.path("w.npz");
  save_weights(file, network, {});
  save_weights(arrays, network, {});
  const Matrix input = Matrix::Ones(1, 5);
  for (const std::string& path : {file, arrays}) {
    const Mlp again = load_weights(path, cube).network;
    expect_same_bits(again, network);
    EXPECT_EQ(forward(again, input), forward(network, input));
  }
  const Activation other = Activation::custom("other", [](double x) { return x; });
  for (const std::string& found : {load_message(file), load_message(file, ErrorKind::data, other)}) {
    EXPECT_NE(found.find("activation 'cube' is unknown"), std::string::npos) << found;
    EXPECT_NE(found.find("give load_weights() the function if it is your own"), std::string::npos) << found;
  }
  // A name that is known needs no help, and is not overruled.
  save_weights(file, example(), {});
  EXPECT_EQ(load_weights(file, cube).network.spec.activation, Activation());
}

// The networks whose printed lines PyTorch is to load: every activation that has a name there, and a deep one.
std::vector<Mlp> printed_networks() {
  std::vector<Mlp> networks = {example(), initialise({std::vector<Index>(7, 6), {}}, 5, 2, LayerPrior{2.0, 0.5}, 1),
                               initialise({{6, 6, 4, 6, 6}, {}}, 5, 2, LayerPrior{2.0, 0.5}, 1)};
  for (const Activation& activation : test::every_activation()) {
    if (activation.kind() == Activation::Kind::custom) continue;
    networks.push_back(initialise({{7, 3}, activation}, 5, 2, LayerPrior{2.0, 0.5}, 1));
  }
  return networks;
}

TEST(Weights, TorchLoadsThePrintedLines) {
  if (std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") != 0) GTEST_SKIP() << "no python3-torch here";
  const Scratch scratch;
  const std::vector<Mlp> networks = printed_networks();
  std::string script = "import torch\n";
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const std::string path = scratch.path("w" + std::to_string(i) + ".npz");
    save_weights(path, networks[i], {});
    const std::string lines = loading_lines(path, networks[i], WeightLayout::torch);
    const std::string mark = "# PyTorch: ";
    ASSERT_EQ(lines.compare(0, mark.size(), mark), 0) << lines;
    script += lines.substr(mark.size()) +
              "with torch.no_grad(): print(*model(torch.tensor([[1.0, 0.0, 0.0, 2.0, -1.0]])).tolist()[0])\n";
  }
  const cli::Outcome outcome = cli::run_program({"/usr/bin/python3", scratch.file("load.py", script)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Matrix input(1, 5);
  input << 1.0, 0.0, 0.0, 2.0, -1.0;
  std::istringstream numbers(outcome.out);
  for (const Mlp& network : networks) {
    const Matrix expected = forward(network, input);
    for (Index k = 0; k < 2; ++k) {
      double value = 0;
      numbers >> value;
      EXPECT_NEAR(value, expected(0, k), 1e-5 * std::abs(expected(0, k))) << network.spec.activation.name();
    }
  }
}

TEST(Weights, KerasAndFlaxLinesNameTheActivation) {
  const auto lines = [](const std::string& name) {
    const Mlp network = initialise({{4}, Activation::parse(name)}, 3, 2, LayerPrior{}, 1);
    return loading_lines("w.npz", network, WeightLayout::keras);
  };
  EXPECT_NE(lines("tanh").find("# Keras: 2 Dense layers, activation=\"tanh\" in all but the last"), std::string::npos);
  EXPECT_NE(lines("leaky_relu:0.2").find("activation=lambda x: tf.nn.leaky_relu(x, 0.2) in"), std::string::npos);
  // Flax approximates gelu by tanh unless told.
  EXPECT_NE(lines("gelu").find("lambda x: nn.gelu(x, approximate=False) between them"), std::string::npos);
}

TEST(Weights, EveryTruncationIsRefused) {
  const Scratch scratch;
  for (const std::string name : {"w.safetensors", "w.npz"}) {
    save_weights(scratch.path(name), example(), {});
    const std::string bytes = read_all(scratch.path(name));
    for (std::size_t size = 0; size < bytes.size(); size += 3) {
      EXPECT_NE(load_message(scratch.file("cut-" + name, bytes.substr(0, size))), "no error") << name << " " << size;
    }
  }
}

TEST(Weights, AFlippedBitInTheValuesIsNoticed) {
  const Scratch scratch;
  for (const std::string name : {"w.safetensors", "w.npz"}) {
    save_weights(scratch.path(name), example(), {});
    std::string bytes = read_all(scratch.path(name));
    const float value = example().layers[0].weights(3, 3);
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof value));
    ASSERT_NE(at, std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_NE(load_message(scratch.file("bad-" + name, bytes)), "no error") << name;
  }
}

std::string with_header(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(data_bytes, '\0');
}

TEST(Weights, UnsoundSafetensorsAreRefusedWithAReason) {
  const Scratch scratch;
  const auto message = [&](const std::string& header, std::size_t data_bytes = 8) {
    return load_message(scratch.file("bad.safetensors", with_header(header, data_bytes)));
  };
  const auto expect = [](const std::string& found, const std::string& part) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  const std::string good = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  expect(load_message(scratch.file("bad.safetensors", std::string(8, '\xff'))), "2 MB");
  expect(load_message(scratch.file("bad.safetensors", std::string("\x50\0\0\0\0\0\0\0{}", 10))), "more than there are");
  expect(message("[1]"), "does not begin with '{'");
  expect(message("{oops"), "not JSON");
  expect(message("{" + good + "," + good + "}"), "'a' is there twice");
  expect(message(R"({"a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}})"), "'shape' is there twice");
  expect(message("{" + good + "}" + std::string(4, '\0')), "zero byte");
  expect(message("{" + good + "}", 9), "bytes follow");
  expect(message("{" + good + "}", 7), "cut short in tensor 'a'");
  expect(message(R"({"a":{"dtype":"F32","shape":[999],"data_offsets":[0,3996]}})"), "tensors need more bytes");
  expect(message(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12), "begins at 4");
  expect(message("{" + good + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"), "begins at 4");
  expect(message(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"), "needs 12 bytes");
  expect(message(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"), "too large");
  expect(message(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})"), "not a whole number");
  expect(message(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})"), "ends before it begins");
  expect(message(R"({"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}})"), "F32 is read");
  expect(message(R"({"a":{"dtype":"F32","shape":[2]}})"), "needs dtype, shape and data_offsets");
  expect(message(R"({"__metadata__":{"k":1}})", 0), "not a string");
  expect(message("{" + good + "}"), "the arrays are not those of a network");
}

// A header as large as one may be. Time that grows as the square took half a minute.
TEST(Weights, ManyTensorsTakeNoLongerThanTheirBytes) {
  const Scratch scratch;
  const auto seconds = [&](int tensors) {
    std::string header = "{";
    for (int i = 0; i < tensors; ++i) {
      header += fmt::format(R"({}"t{}":{{"dtype":"F32","shape":[1],"data_offsets":[{},{}]}})", i > 0 ? "," : "", i,
                            4 * i, 4 * i + 4);
    }
    const std::string path = scratch.file("many.safetensors", with_header(header + "}", 4 * std::size_t(tensors)));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_NE(load_message(path).find("the arrays are not those of a network"), std::string::npos);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  EXPECT_LT(seconds(28'000), 5.0);
}

TEST(Weights, MisfittingLayersAreRefused) {
  const Scratch scratch;
  const std::string header = R"({"0.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                             R"("0.bias":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
                             R"("2.weight":{"dtype":"F32","shape":[1,3],"data_offsets":[16,28]},)"
                             R"("2.bias":{"dtype":"F32","shape":[1],"data_offsets":[28,32]}})";
  const std::string found = load_message(scratch.file("bad.safetensors", with_header(header, 32)));
  EXPECT_NE(found.find("layer 1 reads 3 inputs: the layer before gives 2"), std::string::npos) << found;
}

TEST(Weights, UsageAndPlacesAreChecked) {
  const Scratch scratch;
  EXPECT_NE(load_message(scratch.path("w.pt"), ErrorKind::usage).find("must end in .safetensors or .npz"),
            std::string::npos);
  load_message(scratch.path("absent.npz"), ErrorKind::io);
  load_message(scratch.path("absent.safetensors"), ErrorKind::io);
  EXPECT_THROW(save_weights(scratch.path("no/such/folder.npz"), example()), Error);
  EXPECT_THROW(parse_weight_layout("pytorch"), Error);
}

}  // namespace
}  // namespace priorfit
