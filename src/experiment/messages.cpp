#include "experiment/messages.hpp"

#include "priorfit/error.hpp"

namespace priorfit::internal {
namespace {

enum class ScoreKind : char { evidence, risk, value, failure };

void pack(Packer& packer, const Metrics& metrics) { packer.add(metrics.loss).add(metrics.accuracy).add(metrics.rmse); }

Metrics unpack_metrics(Unpacker& unpacker) {
  Metrics metrics;
  metrics.loss = unpacker.take<double>();
  metrics.accuracy = unpacker.take<std::optional<double>>();
  metrics.rmse = unpacker.take<std::optional<double>>();
  return metrics;
}

void pack(Packer& packer, const std::optional<Metrics>& metrics) {
  packer.add(metrics.has_value());
  if (metrics) pack(packer, *metrics);
}

std::optional<Metrics> unpack_optional_metrics(Unpacker& unpacker) {
  return unpacker.take<bool>() ? std::optional(unpack_metrics(unpacker)) : std::nullopt;
}

}  // namespace

const char* Unpacker::next(std::size_t size) {
  if (size > bytes_.size() - at_) throw Error(ErrorKind::internal, "a message about a cell ends too early");
  const char* const found = bytes_.data() + at_;
  at_ += size;
  return found;
}

void pack(Packer& packer, const Owner& owner) { packer.add(owner.host).add(owner.pid).add(owner.started); }

Owner unpack_owner(Unpacker& unpacker) {
  Owner owner;
  owner.host = unpacker.take_text();
  owner.pid = unpacker.take<std::int64_t>();
  owner.started = unpacker.take<std::int64_t>();
  return owner;
}

void pack(Packer& packer, const Cell& cell) {
  packer.add(cell.id).add(cell.kind).add(cell.size).add(cell.start).add(cell.seed);
}

Cell unpack_cell(Unpacker& unpacker) {
  Cell cell;
  cell.id = unpacker.take<std::int64_t>();
  cell.kind = unpacker.take_text();
  cell.size = unpacker.take<Index>();
  cell.start = unpacker.take_text();
  cell.seed = unpacker.take<std::uint64_t>();
  return cell;
}

void pack(Packer& packer, const Score& score) {
  if (const Evidence* evidence = score.evidence()) {
    packer.add(ScoreKind::evidence).add(*evidence);
  } else if (const TrainedRisk* risk = score.risk()) {
    packer.add(ScoreKind::risk).add(risk->failure).add(risk->error).add(risk->standard_error).add(risk->data_error);
    packer.add(risk->initialisation_error).add(risk->accuracy).add(risk->ridge);
  } else if (score.ok()) {
    packer.add(ScoreKind::value).add(score.value());
  } else {
    packer.add(ScoreKind::failure).add(score.failure());
  }
}

Score unpack_score(Unpacker& unpacker) {
  switch (unpacker.take<ScoreKind>()) {
    case ScoreKind::evidence: return unpacker.take<Evidence>();
    case ScoreKind::risk: {
      TrainedRisk risk;
      risk.failure = unpacker.take_text();
      for (double TrainedRisk::*figure : {&TrainedRisk::error, &TrainedRisk::standard_error, &TrainedRisk::data_error,
                                          &TrainedRisk::initialisation_error}) {
        risk.*figure = unpacker.take<double>();
      }
      risk.accuracy = unpacker.take<std::optional<double>>();
      risk.ridge = unpacker.take<double>();
      return risk;
    }
    case ScoreKind::value: return Score::of(unpacker.take<double>());
    case ScoreKind::failure: break;
  }
  return Score::failed(unpacker.take_text());
}

void pack(Packer& packer, const TrainingSummary& summary) {
  pack(packer, summary.train);
  pack(packer, summary.test);
  packer.add(summary.seconds).add(summary.seconds_per_epoch).add(summary.resumed_epochs).add(summary.diverged);
  packer.add(summary.history.size());
  for (const EpochRecord& record : summary.history) {
    packer.add(record.epoch).add(record.train_loss).add(record.train_accuracy);
    pack(packer, record.test);
  }
}

TrainingSummary unpack_training(Unpacker& unpacker) {
  TrainingSummary summary;
  summary.train = unpack_metrics(unpacker);
  summary.test = unpack_optional_metrics(unpacker);
  summary.seconds = unpacker.take<double>();
  summary.seconds_per_epoch = unpacker.take<double>();
  summary.resumed_epochs = unpacker.take<Index>();
  summary.diverged = unpacker.take<bool>();
  for (auto left = unpacker.take<std::size_t>(); left > 0; --left) {
    EpochRecord& record = summary.history.emplace_back();
    record.epoch = unpacker.take<Index>();
    record.train_loss = unpacker.take<double>();
    record.train_accuracy = unpacker.take<std::optional<double>>();
    record.test = unpack_optional_metrics(unpacker);
  }
  return summary;
}

}  // namespace priorfit::internal
