// SPDX-License-Identifier: BSD-2-Clause-Patent
// Five stages: read (in order) - prepare (parallel) - link with earlier frames (in order) - extract (parallel) - store
// (in order). The in-order link stage is what guarantees that the earlier pictures a window points to have been
// prepared.
#include "engine/frame_pipeline.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "engine/wanted_frames.h"

namespace lockstep {
namespace {

constexpr int kMaximumLeadIn = 2;

// One pair and what metrics prepared from its reference picture.
struct Slot {
  std::int64_t index = 0;
  FramePair pair;
  std::vector<AlignedBuffer> prepared;  // one for each metric, empty where it prepares nothing
};

// One frame on its way through the stages.
struct Token {
  Pool<Slot>::Ref current;
  std::array<Pool<Slot>::Ref, kMaximumLeadIn> earlier;
  std::vector<std::vector<Fact>> facts;  // one row for each metric
  std::vector<std::uint8_t> extracted;
};

// Workspaces of one metric: as many as run at once, made on first use, reused afterwards.
class WorkspacePool {
 public:
  using Make = std::unique_ptr<Workspace> (Feature::*)() const;
  WorkspacePool(const Feature* feature, Make make) : feature_(feature), make_(make) {}

  std::unique_ptr<Workspace> Acquire() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Workspace> workspace = std::move(free_.back());
        free_.pop_back();
        return workspace;
      }
    }
    return (feature_->*make_)();
  }
  void Release(std::unique_ptr<Workspace> workspace) {
    if (!workspace) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  const Feature* feature_;
  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

// How many threads have a frame of their own; the others are idle.
class ThreadUse {
 public:
  explicit ThreadUse(unsigned threads) : threads_(static_cast<int>(threads)) {}

  class Frame {
   public:
    explicit Frame(ThreadUse& use) : use_(use) { use_.frames_.fetch_add(1, std::memory_order_relaxed); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() { use_.frames_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    ThreadUse& use_;
  };

  [[nodiscard]] int threads_a_frame() const {
    return std::max(1, threads_ / std::max(1, frames_.load(std::memory_order_relaxed)));
  }

 private:
  int threads_;
  std::atomic<int> frames_{0};
};

// The idle threads as one metric sees them.
class IdleThreads : public BandRunner {
 public:
  IdleThreads(const ThreadUse& use, WorkspacePool& lines) : use_(use), lines_(lines) {}

  [[nodiscard]] int band_count() const override { return use_.threads_a_frame(); }

  void Run(int bands, void (*work)(void* context, int band, Workspace* lines), void* context) override {
    tbb::parallel_for(0, bands, [&](int band) {
      std::unique_ptr<Workspace> lines = lines_.Acquire();
      work(context, band, lines.get());
      lines_.Release(std::move(lines));
    });
  }

 private:
  const ThreadUse& use_;
  WorkspacePool& lines_;
};

class Pipeline {
 public:
  Pipeline(std::span<const Feature* const> features, PairSource& source, const PipelineOptions& options)
      : features_(features),
        source_(source),
        options_(options),
        wanted_(options),
        thread_use_(options.threads),
        slots_([](Slot& slot) { slot.pair = {}; }),
        next_picture_(options.first_picture) {
    for (const Feature* feature : features_) {
      workspaces_.push_back(std::make_unique<WorkspacePool>(feature, &Feature::MakeWorkspace));
      line_buffers_.push_back(std::make_unique<WorkspacePool>(feature, &Feature::MakeLineBuffers));
      prepares_ = prepares_ || feature->prepared_bytes() > 0;
      facts_.emplace_back(feature->fact_count(), wanted_.FirstFact(*feature));
    }
    const std::size_t tokens = TokenCount();
    tokens_.resize(tokens);
    for (Token& token : tokens_) {
      for (const Feature* feature : features_)
        token.facts.emplace_back(static_cast<std::size_t>(feature->fact_count()));
      token.extracted.resize(features_.size());
      free_tokens_.push_back(&token);
    }
  }

  Result<PipelineResult> Run() {
    const std::stop_callback on_stop(options_.stop, [this] { source_.Cancel(); });
    using tbb::filter_mode;
    const auto read = tbb::make_filter<void, Token*>(filter_mode::serial_in_order, [this](tbb::flow_control& flow) {
      Token* token = Read();
      if (token == nullptr) flow.stop();
      return token;
    });
    const auto prepare =
        tbb::make_filter<Token*, Token*>(filter_mode::parallel, [this](Token* token) { return Prepare(token); });
    const auto link =
        tbb::make_filter<Token*, Token*>(filter_mode::serial_in_order, [this](Token* token) { return Link(token); });
    const auto extract =
        tbb::make_filter<Token*, Token*>(filter_mode::parallel, [this](Token* token) { return Extract(token); });
    const auto store =
        tbb::make_filter<Token*, void>(filter_mode::serial_in_order, [this](Token* token) { Store(token); });

    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                      options_.threads + options_.other_threads);
    tbb::task_arena arena(static_cast<int>(options_.threads));
    arena.execute([&] { tbb::parallel_pipeline(tokens_.size(), read & prepare & link & extract & store); });
    if (error_) return *std::move(error_);
    for (std::size_t f = 0; f < features_.size(); ++f) {
      const std::int64_t end = std::min(next_picture_, wanted_.EndFact(*features_[f]));
      facts_[f].Extend(std::max(end, facts_[f].first()));
    }
    return PipelineResult{std::move(facts_), next_picture_};
  }

 private:
  [[nodiscard]] std::size_t TokenCount() const { return options_.threads == 1 ? 1 : options_.threads + 2; }

  Token* Read() {
    if (options_.stop.stop_requested()) {
      error_ = Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
      return nullptr;
    }
    Pool<Slot>::Ref slot = slots_.Acquire();
    slot->index = next_picture_;
    Result<bool> more = source_.Next(slot->pair);
    if (!more) {
      error_ = std::move(more).error();
      return nullptr;
    }
    if (!*more) return nullptr;
    ++next_picture_;
    Token* token = nullptr;
    {
      const std::lock_guard lock(token_mutex_);
      token = free_tokens_.back();
      free_tokens_.pop_back();
    }
    token->current = std::move(slot);
    return token;
  }

  Token* Prepare(Token* token) {
    if (!prepares_) return token;
    Slot& slot = *token->current;
    slot.prepared.resize(features_.size());
    for (std::size_t f = 0; f < features_.size(); ++f) {
      const std::size_t bytes = features_[f]->prepared_bytes();
      if (bytes == 0) continue;
      slot.prepared[f].Resize(bytes);
      std::unique_ptr<Workspace> workspace = workspaces_[f]->Acquire();
      features_[f]->Prepare(*slot.pair.reference, workspace.get(), slot.prepared[f].data());
      workspaces_[f]->Release(std::move(workspace));
    }
    return token;
  }

  Token* Link(Token* token) {
    token->earlier = history_;
    for (std::size_t k = kMaximumLeadIn - 1; k > 0; --k) history_[k] = history_[k - 1];
    history_[0] = token->current;
    return token;
  }

  Token* Extract(Token* token) {
    const ThreadUse::Frame frame(thread_use_);
    // A thread that waits for its bands may help with other bands of this frame; starting another frame meanwhile would
    // delay this one.
    tbb::this_task_arena::isolate([&] {
      if (thread_use_.threads_a_frame() == 1) {
        for (std::size_t f = 0; f < features_.size(); ++f) ExtractFeature(*token, f);
      } else {
        tbb::parallel_for(std::size_t{0}, features_.size(), [&](std::size_t f) { ExtractFeature(*token, f); });
      }
    });
    return token;
  }

  void ExtractFeature(Token& token, std::size_t f) {
    const Slot& slot = *token.current;
    const Feature& feature = *features_[f];
    token.extracted[f] = wanted_.Wants(feature, slot.index) ? 1 : 0;
    if (token.extracted[f] == 0) return;
    IdleThreads idle(thread_use_, *line_buffers_[f]);
    FrameWindow window;
    window.index = slot.index;
    window.reference = slot.pair.reference.get();
    window.distorted = slot.pair.distorted.get();
    window.earlier_reference[0] = window.reference;
    window.earlier_distorted[0] = window.distorted;
    window.band_runner = &idle;
    const bool prepared = feature.prepared_bytes() > 0;
    if (prepared) window.prepared[0] = slot.prepared[f].data();
    for (std::size_t k = 0; k < kMaximumLeadIn; ++k) {
      const Slot* earlier = token.earlier[k].get();
      if (earlier == nullptr) continue;
      window.earlier_reference[k + 1] = earlier->pair.reference.get();
      window.earlier_distorted[k + 1] = earlier->pair.distorted.get();
      if (prepared) window.prepared[k + 1] = earlier->prepared[f].data();
    }
    std::unique_ptr<Workspace> workspace = workspaces_[f]->Acquire();
    feature.Extract(window, workspace.get(), token.facts[f]);
    workspaces_[f]->Release(std::move(workspace));
  }

  void Store(Token* token) {
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (token->extracted[f] != 0) facts_[f].Set(token->current->index, token->facts[f]);
    }
    const std::int64_t done = token->current->index + 1 - options_.first_picture;
    token->current = {};
    token->earlier = {};
    {
      const std::lock_guard lock(token_mutex_);
      free_tokens_.push_back(token);
    }
    if (options_.on_progress) options_.on_progress(done);
  }

  std::span<const Feature* const> features_;
  PairSource& source_;
  const PipelineOptions& options_;
  WantedFrames wanted_;
  bool prepares_ = false;
  ThreadUse thread_use_;
  std::vector<std::unique_ptr<WorkspacePool>> workspaces_;
  std::vector<std::unique_ptr<WorkspacePool>> line_buffers_;
  std::vector<FactTable> facts_;
  Pool<Slot> slots_;                                     // outlives every Ref below
  std::array<Pool<Slot>::Ref, kMaximumLeadIn> history_;  // [0] is the frame before the next one to link
  std::vector<Token> tokens_;
  std::mutex token_mutex_;
  std::vector<Token*> free_tokens_;
  std::int64_t next_picture_;
  std::optional<Error> error_;
};

}  // namespace

Result<PipelineResult> RunPipeline(std::span<const Feature* const> features, PairSource& source,
                                   const PipelineOptions& options) {
  try {
    Pipeline pipeline(features, source, options);
    return pipeline.Run();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "not enough memory for the pictures and the metrics' buffers", {}, {}, {}};
  }
}

}  // namespace lockstep
