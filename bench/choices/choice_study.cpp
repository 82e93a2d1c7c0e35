// The benchmark of choices: trains networks from every start of every task, and writes down what each criterion says.
//
// Usage: choice_study TASKS DATA-LIST TABLES RESULTS [NAME…]
//
// RESULTS/NAME.tsv has one line per network and per judgement; what is there is not done again, and several processes
// may share the work. bench/choices/analyse.py makes the page of it.
//   net     split start - epochs seconds  error A, error B, loss A, loss B      (halves of the test rows)
//   pilot   split start fold epochs seconds  error, loss                        (the fold that was left out)
//   theory  split start criterion - seconds  value
// With PRIORFIT_ANSWERS=1 what recommend says instead, in a folder of its own, and three networks each that judge it:
//   answer  split verdict pilots seconds  gain, lower, upper  finalist  error of the current start, of the finalist
// The error is the share of wrong classes, or the mean squared error of standardised targets; the loss what was
// trained.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "starts.hpp"
#include "theory.hpp"

namespace choices {
namespace {

constexpr Index most_test_rows = 5000, most_theory_rows = 600;
constexpr Index answer_pilots = 61;  // as many as it ever trains
constexpr std::uint64_t answer_splits = 3, answer_seeds = 3;
constexpr std::uint64_t pilot_splits = 2, pilot_folds = 2, theory_splits = 3;

using Row = std::map<std::string, std::string>;

std::vector<Row> read_tsv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::io, "cannot read " + path);
  const auto fields = [](const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) out.push_back(field);
    return out;
  };
  std::string line;
  std::getline(file, line);
  const auto names = fields(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto values = fields(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values.at(i);
    rows.push_back(row);
  }
  return rows;
}

/// What is in a task's file already, and a way to add to it.
class Results {
 public:
  explicit Results(const std::string& path) : path_(path) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string kind, split, start, fold;
      fields >> kind >> split >> start >> fold;
      done_.insert(kind + ' ' + split + ' ' + start + ' ' + (kind == "pilot" ? fold : ""));
    }
    out_.open(path, std::ios::app);
  }
  bool has(const std::string& kind, std::uint64_t split, const std::string& start, const std::string& fold = "") const {
    return done_.count(fmt::format("{} {} {} {}", kind, split, start, fold)) > 0;
  }
  bool has_answer(std::uint64_t split) const {
    const std::string first = fmt::format("answer {} ", split);
    const auto found = done_.lower_bound(first);
    return found != done_.end() && found->rfind(first, 0) == 0;
  }
  void add(const std::string& lines) { out_ << lines << std::flush; }

 private:
  std::string path_;
  std::set<std::string> done_;
  std::ofstream out_;
};

struct Measured {
  double error = 0.0, loss = 0.0;
};

/// Of the rows i with i % of == which.
Measured measure(const Mlp& network, const Samples& samples, Loss loss, Index which, Index of) {
  const Matrix out = forward(network, samples.inputs, 1);
  Measured sum;
  Index count = 0;
  for (Index i = which; i < samples.size(); i += of, ++count) {
    const auto row = out.row(i);
    const double squares = (row - samples.targets.row(i)).squaredNorm() / static_cast<double>(row.size());
    if (samples.labels.empty()) {
      sum.error += squares;
      sum.loss += squares;
      continue;
    }
    const Index label = samples.labels[static_cast<std::size_t>(i)];
    Index answer = 0;
    row.maxCoeff(&answer);
    sum.error += answer == label && row.allFinite() ? 0 : 1;
    const double top = row.maxCoeff();
    sum.loss += loss == Loss::squared ? squares : top + std::log((row.array() - top).exp().sum()) - row[label];
  }
  const double n = static_cast<double>(std::max<Index>(1, count));
  return {sum.error / n, sum.loss / n};
}

Samples rows_of(const Samples& all, const std::vector<Index>& rows) {
  Samples out;
  out.inputs = all.inputs(rows, Eigen::all);
  out.targets = all.targets(rows, Eigen::all);
  if (!all.labels.empty()) {
    for (const Index row : rows) out.labels.push_back(all.labels[static_cast<std::size_t>(row)]);
  }
  return out;
}

class StudyTask {
 public:
  StudyTask(const Row& task, const Row& data, const std::string& tables) : task_(task) {
    LoadOptions load{.source = data.at("file") == "-" ? data.at("name") : tables + "/" + data.at("file")};
    if (data.at("target") != "-") load.target_column = data.at("target");
    if (data.at("task") != "-") load.task = parse_task(data.at("task"));
    dataset_ = load_dataset(load);
    spec_ = NetworkSpec::uniform(number("depth"), number("width"), Activation::parse(task.at("activation")));
    options_.epochs = number("epochs");
    options_.batch = number("batch");
    options_.loss = parse_loss(task.at("loss"));
    options_.optimizer.kind = parse_optimizer_kind(task.at("optimizer"));
    if (options_.optimizer.kind == OptimizerKind::sgd) options_.optimizer.momentum = 0.9;
    if (options_.optimizer.kind == OptimizerKind::adamw) options_.optimizer.weight_decay = 0.01;
    options_.evaluate_every = 0;
  }

  /// What the program says, beside what networks from the start in use and from its best other one do on test rows.
  void run_answers(Results& results) {
    for (std::uint64_t split = 1; split <= answer_splits; ++split) {
      if (results.has_answer(split)) continue;
      const PreparedData data = prepared(split, number("rows"));
      RecommendOptions options;
      options.pilots.training = options_;
      options.pilots.count = answer_pilots;
      const auto begin = std::chrono::steady_clock::now();
      const Recommendation answer = recommend(data, spec_, options, {.threads = 1});
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      const Advice& advice = *answer.advice;
      const auto error_from = [&](const Initialisation& start) {
        double sum = 0.0;
        for (std::uint64_t seed = 0; seed < answer_seeds; ++seed) {
          Mlp network = draw({"", start}, spec_, data, data.outputs(), 1000 + split + 100 * seed);
          TrainOptions training = options_;
          training.seed = split + 100 * seed;
          train(network, data.train, {}, training, {.threads = 1});
          sum += measure(network, data.test, *training.loss, 0, 1).error;
        }
        return sum / static_cast<double>(answer_seeds);
      };
      const Verdict& verdict = advice.verdict;
      const Interval interval = verdict.gain_interval.value_or(Interval{NAN, NAN});
      const double unit = data.task == Task::classification ? 1.0 : verdict.current_value.value_or(NAN);
      results.add(fmt::format("answer\t{}\t{}\t{}\t{:.3f}\t{:.6g}\t{:.6g}\t{:.6g}\t{}\t{:.6g}\t{:.6g}\n", split,
                              to_string(verdict.action), advice.pilots ? advice.pilots->count : 0, seconds,
                              verdict.gain.value_or(NAN) / unit, interval.lower / unit, interval.upper / unit,
                              advice.names[advice.finalist], error_from(advice.current().start),
                              error_from(advice.best_other().start)));
    }
  }

  void run(Results& results) {
    for (std::uint64_t split = 1; split <= std::uint64_t(number("splits")); ++split) {
      const PreparedData data = prepared(split, number("rows"));
      const auto list = starts(spec_, data.features(), data.outputs(), task_.at("candidates") == "all");
      if (split <= theory_splits) judge(data, list, split, results);
      for (const Start& start : list) {
        if (!results.has("net", split, start.name)) results.add(train_one(data, start, split));
        if (split > pilot_splits) continue;
        for (std::uint64_t fold = 1; fold <= pilot_folds; ++fold) {
          if (!results.has("pilot", split, start.name, std::to_string(fold))) {
            results.add(pilot(data, start, split, fold));
          }
        }
      }
    }
  }

 private:
  Index number(const char* name) const { return std::stol(task_.at(name)); }

  PreparedData prepared(std::uint64_t split, Index samples) const {
    PrepareOptions options{.seed = split, .preprocess = parse_preprocess(task_.at("inputs"))};
    const Index rows = dataset_.train.size();
    if (dataset_.test.size() == 0) {
      options.test_fraction = 0.3;
      samples = std::min(samples, rows - Index(std::ceil(0.3 * double(rows))) - 1);
    }
    options.samples = samples;
    PreparedData data = prepare(dataset_, options);
    if (data.test.size() > most_test_rows) {
      std::vector<Index> chosen;
      for (Index i = 0; i < most_test_rows; ++i) chosen.push_back(i * data.test.size() / most_test_rows);
      data.test = rows_of(data.test, chosen);
    }
    if (data.task == Task::regression) standardize_targets(data);
    return data;
  }

  static void standardize_targets(PreparedData& data) {
    for (Index c = 0; c < data.outputs(); ++c) {
      const double mean = data.train.targets.col(c).mean();
      const double deviation = std::sqrt((data.train.targets.col(c).array() - mean).square().mean());
      for (Samples* part : {&data.train, &data.test}) {
        part->targets.col(c) = (part->targets.col(c).array() - mean) / deviation;
      }
    }
  }

  std::string train_one(const PreparedData& data, const Start& start, std::uint64_t split) const {
    Mlp network = draw(start, spec_, data, data.outputs(), 1000 + split);
    TrainOptions options = options_;
    options.seed = split;
    const TrainingSummary summary = train(network, data.train, {}, options, {.threads = 1});
    const Measured a = measure(network, data.test, *options.loss, 0, 2),
                   b = measure(network, data.test, *options.loss, 1, 2);
    return fmt::format("net\t{}\t{}\t-\t{}\t{:.3f}\t{:.6g}\t{:.6g}\t{:.6g}\t{:.6g}\n", split, start.name,
                       options.epochs, summary.seconds, a.error, b.error, a.loss, b.loss);
  }

  /// Four fifths of the training rows, the rest left out: fold f is row i with i % 5 == f - 1.
  std::string pilot(const PreparedData& data, const Start& start, std::uint64_t split, std::uint64_t fold) const {
    std::vector<Index> kept, left;
    for (Index i = 0; i < data.train.size(); ++i) (i % 5 == Index(fold) - 1 ? left : kept).push_back(i);
    PreparedData part = data;
    part.train = rows_of(data.train, kept);
    part.test = rows_of(data.train, left);
    Mlp network = draw(start, spec_, part, part.outputs(), 5000 + 10 * split + fold);
    TrainOptions options = options_;
    options.seed = 100 * split + fold;
    options.evaluate_every = 1;
    const TrainingSummary summary = train(network, part.train, part.test, options, {.threads = 1});
    std::string lines;
    const Index epochs = options.epochs;
    std::set<Index> marks = {1, std::max<Index>(1, epochs / 8), std::max<Index>(1, epochs / 4),
                             std::max<Index>(1, epochs / 2), epochs};
    for (const Index mark : marks) {
      const double seconds = summary.seconds * double(mark) / double(epochs);
      if (mark > Index(summary.history.size())) {
        lines += fmt::format("pilot\t{}\t{}\t{}\t{}\t{:.3f}\tnan\tnan\n", split, start.name, fold, mark, seconds);
        continue;
      }
      const Metrics& test = *summary.history[std::size_t(mark) - 1].test;
      const double error = test.accuracy ? 1 - *test.accuracy : test.loss;
      lines += fmt::format("pilot\t{}\t{}\t{}\t{}\t{:.3f}\t{:.6g}\t{:.6g}\n", split, start.name, fold, mark, seconds,
                           error, test.loss);
    }
    return lines;
  }

  void judge(const PreparedData& data, const std::vector<Start>& list, std::uint64_t split, Results& results) const {
    const bool all_done = std::all_of(list.begin(), list.end(), [&](const Start& start) {
      return results.has("theory", split, start.name) || start.kind == Start::Kind::unit_variance;
    });
    if (all_done) return;
    const PreparedData sample = data.train.size() > most_theory_rows ? prepared(split, most_theory_rows) : data;
    Theory theory(sample, spec_,
                  options_.optimizer.kind == OptimizerKind::sgd ? Optimizer::gradient_descent : Optimizer::adam);
    for (const Start& start : list) {
      if (results.has("theory", split, start.name)) continue;
      std::string lines;
      const auto emit = [&](const std::string& criterion, double seconds, double value) {
        lines += fmt::format("theory\t{}\t{}\t{}\t-\t{:.4f}\t{:.8g}\n", split, start.name, criterion, seconds, value);
      };
      theory.judge(start, emit);
      emit_tangent(sample, start, split, emit);
      results.add(lines);
    }
  }

  /// A few epochs on half of the rows, then the network's own tangent kernel on at most 200 of the others.
  void emit_tangent(const PreparedData& data, const Start& start, std::uint64_t split, const Theory::Emit& emit) const {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Index> first, second;
    for (Index i = 0; i < data.train.size(); ++i) {
      if (i % 2 == 0)
        first.push_back(i);
      else if (second.size() < 200)
        second.push_back(i);
    }
    PreparedData part = data;
    part.train = rows_of(data.train, first);
    const Samples others = rows_of(data.train, second);
    Mlp network = draw(start, spec_, part, part.outputs(), 7000 + split);
    TrainOptions options = options_;
    options.epochs = std::max<Index>(1, options.epochs / 10);
    options.loss = Loss::squared;
    train(network, part.train, {}, options, {.threads = 1});
    const double value = tangent_after_training(network, others.inputs, others.targets);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (std::isfinite(value)) emit("tangent-after", seconds, value);
  }

  Row task_;
  Dataset dataset_;
  NetworkSpec spec_;
  TrainOptions options_;
};

int run(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: choice_study TASKS DATA-LIST TABLES RESULTS [NAME…]\n");
    return 2;
  }
  const std::string results = argv[4];
  const std::set<std::string> only(argv + 5, argv + argc);
  std::map<std::string, Row> data;
  for (const Row& row : read_tsv(argv[2])) data[row.at("name")] = row;
  for (const Row& task : read_tsv(argv[1])) {
    const std::string name = task.at("name");
    if (!only.empty() && !only.count(name)) continue;
    const int lock = open((results + "/." + name + ".lock").c_str(), O_CREAT | O_RDWR, 0644);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {  // another process is at it
      close(lock);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    Results file(results + "/" + name + ".tsv");
    StudyTask study(task, data.at(task.at("data")), argv[3]);
    if (std::getenv("PRIORFIT_ANSWERS")) {
      study.run_answers(file);
    } else {
      study.run(file);
    }
    fmt::print(stderr, "{}: {:.0f} s\n", name,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    close(lock);
  }
  return 0;
}

}  // namespace
}  // namespace choices

int main(int argc, char** argv) {
  try {
    return choices::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "choice_study: {}\n", error.what());
    return 1;
  }
}
