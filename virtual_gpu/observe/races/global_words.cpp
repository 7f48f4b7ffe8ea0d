// The accesses of single words: which of them conflict, and what a word remembers of them.
#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/races/global_region.h"
#include "virtual_gpu/observe/races/global_step.h"

namespace ridge::observe {

bool GlobalShadow::happens_before(const Other& other, const Step& step) {
  return launch_.has_fences &&
         messages.ordered(*step.visitor.vector_clock, other.cell.serial() - base_, other.epoch,
                          Step::kind(other.writes));
}

// True when one is a plain read and the other an atomic or a volatile store.
bool GlobalShadow::is_beside_atomic(const Other& other, const Step& step) {
  return (other.cell.strong() && !step.writes) || (step.strong && !other.writes);
}

// True for an atomic addition of floating-point numbers.
bool GlobalShadow::adds_numbers(uint32_t site) const {
  if (site >= launch_.site_instructions.size()) return false;
  const machine::MicroOp& op = launch_.program->ops[launch_.site_instructions[site]];
  if (op.kind != machine::OpKind::atomic) return false;
  const machine::AtomicOp& atomic = launch_.program->atomics[op.detail];
  return atomic.operation == machine::AtomicOperation::add &&
         atomic.type >= machine::AtomicType::f32;
}

bool GlobalShadow::conflicts(const Region& region, uint64_t word, const Other& other,
                             const Step& step) {
  if ((other.cell.bytes() & step.bytes) == 0 || (other.cell.strong() && step.strong)) return false;
  const bool same_block = other.cell.serial() == step.serial;
  if (is_beside_atomic(other, step)) {
    // A read before an atomic update (the first guess of a compare-and-swap loop, `if (x < best)
    // atomicMin`), a flag. A sum of which others may still lack their part is of no use.
    if (same_block || !adds_numbers(step.strong ? step.site : other.cell.site())) return false;
    if (!other.writes && other.cell.updated_later()) return false;
  }
  if (!same_block && happens_before(other, step)) return false;
  // Writing the same value again does no harm.
  if (!step.writes) return !other.cell.preserved_value();
  return !(other.writes ? is_value_preserving(region, word, step)
                        : changes_nothing(region, word, step));
}

void GlobalShadow::note(const Region& region, uint64_t word, const Other& other, const Step& step,
                        std::optional<GlobalRace>& found) {
  GlobalRace race;
  race.address = region.begin + word * 4;
  const bool is_high = step.serial > other.cell.serial();
  race.high = is_high ? step.cell() : other.cell;
  race.low = is_high ? other.cell : step.cell();
  race.high_writes = is_high ? step.writes : other.writes;
  race.low_writes = is_high ? other.writes : step.writes;
  race.high_block = race.high.serial() - base_;
  race.low_block = race.low.serial() - base_;
  if (is_beside_atomic(other, step)) return note_beside_atomic(race);
  if (!found || race.before(*found)) found = race;
}

void GlobalShadow::note_beside_atomic(const GlobalRace& race) {
  const std::lock_guard lock(beside_atomics_mutex_);
  if (beside_atomics_left_ == 0) return;
  --beside_atomics_left_;
  beside_atomics_[race.address].push_back(race);
  has_beside_atomics_ = true;
}

std::optional<GlobalRace> GlobalShadow::read_beside_atomics() const {
  std::optional<GlobalRace> lowest;
  for (const auto& [address, races] : beside_atomics_) {
    for (const GlobalRace& race : races) {
      if (!lowest || race.before(*lowest)) lowest = race;
    }
  }
  return lowest;
}

// The block updates the word with an atomic, so a plain read of the word by the same block before
// that is no race: it only guessed a value that the atomic then checked.
void GlobalShadow::updates(Region& region, uint64_t word, const Step& step) {
  for (uint64_t* const readers : {region.readers, region.more_readers}) {
    if (BlockCell{readers[word]}.serial() == step.serial) readers[word] |= 1;
  }
  if (!has_beside_atomics_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(beside_atomics_mutex_);
  const auto found = beside_atomics_.find(region.begin + word * 4);
  if (found == beside_atomics_.end()) return;
  std::erase_if(found->second, [&](const GlobalRace& race) {
    return (race.high_writes ? race.low : race.high).serial() == step.serial;
  });
}

// Adds an access that is not among the cells of a word to the word's set.
void GlobalShadow::remember(Region& region, uint64_t word, const Other& other, const Step& step) {
  if (!launch_.has_fences) return;
  const auto shift =
      step.access.bytes < 4 ? 0 : static_cast<uint32_t>(std::countr_zero(step.access.bytes / 4));
  const AccessSets::Access access{
      other.cell.serial(),
      other.epoch,
      other.cell.site(),
      static_cast<uint16_t>((other.cell.thread() - (word >> shift)) & 1023),
      static_cast<uint8_t>(shift),
      static_cast<uint8_t>(other.cell.bytes()),
      other.writes};
  region.has_sets.store(true, std::memory_order_relaxed);
  uint32_t* const set = region.set_of(word);
  *set = sets_.add(*set, access);
}

bool GlobalShadow::all_happen_before(uint32_t id, const Step& step) {
  auto& past = step.visitor.vector_clock->past_sets;
  for (const AccessSets::Set* set = sets_.find(id); set != nullptr; set = sets_.find(set->older)) {
    const AccessSets::Access& access = set->newest;
    if (access.serial != step.serial &&
        !messages.ordered(*step.visitor.vector_clock, access.serial - base_, access.epoch,
                          Step::kind(access.writes)))
      return false;
    if (past.contains(set->older)) break;
  }
  past.insert(id);
  return true;
}

// Compares an access with the word's set, which is emptied when all of it happens before a read.
void GlobalShadow::look_at_others(Region& region, uint64_t word, const Step& step,
                                  std::optional<GlobalRace>& found) {
  if (!region.has_sets.load(std::memory_order_relaxed)) return;
  uint32_t* const id = region.set_of(word);
  BlockVectorClock& clock = *step.visitor.vector_clock;
  const AccessSets::Set* const others = sets_.find(*id);
  if (*id != clock.last_past_set && others == nullptr) return;
  if (*id == clock.last_past_set || clock.past_sets.contains(*id) || all_happen_before(*id, step)) {
    clock.last_past_set = *id;
    if (!step.writes) *id = 0;
    return;
  }
  if (!step.writes && !others->writes) return;  // reads only
  const BlockCell writer{region.writers[word]};
  const auto updated_later = [&](const AccessSets::Access& read) {
    if (writer.serial() == read.serial) return true;
    for (const AccessSets::Set* set = sets_.find(*id); set != nullptr;
         set = sets_.find(set->older)) {
      if (set->newest.writes && set->newest.serial == read.serial) return true;
    }
    return false;
  };
  for (const AccessSets::Set* set = others; set != nullptr; set = sets_.find(set->older)) {
    const AccessSets::Access& access = set->newest;
    if (access.serial == step.serial || (!access.writes && !step.writes)) continue;
    const Other other{BlockCell::make(access.serial, BlockCell::kManySynchronizations, access.bytes,
                                      access.writes, access.site, access.thread(word)),
                      access.epoch, access.writes};
    if (!conflicts(region, word, other, step)) continue;
    // Last, because it looks through the set again, and barriers of the grid have long ones.
    if (!access.writes && step.strong && updated_later(access)) continue;
    note(region, word, other, step, found);
  }
}

std::optional<GlobalRace> GlobalShadow::within_block(const Region& region, uint64_t word,
                                                     BlockCell other, bool other_writes,
                                                     const Step& step) {
  if (!step.visitor.compares_threads ||
      other.synchronizations() == BlockCell::kManySynchronizations)
    return std::nullopt;
  if (other.thread() / 32 == step.thread / 32 ||
      other.synchronizations() != step.visitor.synchronizations)
    return std::nullopt;
  if (!conflicts(region, word, {other, 0, other_writes}, step)) return std::nullopt;
  GlobalRace race;
  race.address = region.begin + word * 4;
  race.high_block = race.low_block = step.visitor.block;
  race.high = step.cell();
  race.low = other;
  race.high_writes = step.writes;
  race.low_writes = other_writes;
  return race;
}

std::optional<GlobalRace> GlobalShadow::write_word(Region& region, uint64_t word, const Step& step,
                                                   std::optional<GlobalRace>& found) {
  open_line(region, word / Region::kLineWords);
  const BlockCell writer{region.writers[word]};
  const Other before{writer, region.epoch(word, Region::kWriter), true};
  const auto put = [&] {
    BlockCell cell = step.cell();
    if (writer.serial() >= base_ && !writer.preserved_value()) cell.bits &= ~1ull;
    region.writers[word] = cell.bits;
    region.set_epoch(word, Region::kWriter, step.epoch());
  };
  if (writer.serial() == step.serial) {
    if (auto race = within_block(region, word, writer, true, step)) return race;
    // An atomic does not hide the block's own plain store.
    if (!step.strong || writer.strong()) put();
  } else if (writer.serial() < base_) {
    put();
  } else if (!conflicts(region, word, before, step)) {
    // If atomics of several blocks conflict, keep that of the lowest block, in any order of
    // execution.
    if (launch_.has_fences && writer.strong() && step.strong && !happens_before(before, step))
      remember(region, word, before, step);
    if (launch_.has_fences || !writer.strong() || step.serial < writer.serial()) put();
  } else {
    note(region, word, before, step, found);
    if (step.serial < writer.serial()) put();
  }
  look_at_others(region, word, step, found);
  if (!region.was_read.load(std::memory_order_relaxed)) return std::nullopt;
  if (step.strong) updates(region, word, step);
  for (const auto slot : {Region::kReader, Region::kMoreReader}) {
    const BlockCell reader{(slot == Region::kReader ? region.readers : region.more_readers)[word]};
    if (reader.serial() < base_) continue;
    const Other other{reader, region.epoch(word, slot), false};
    if (reader.serial() == step.serial) {
      if (auto race = within_block(region, word, reader, false, step)) return race;
    } else if (conflicts(region, word, other, step)) {
      note(region, word, other, step, found);
    }
  }
  return std::nullopt;
}

std::optional<GlobalRace> GlobalShadow::read_word(Region& region, uint64_t word, const Step& step,
                                                  std::optional<GlobalRace>& found) {
  open_line(region, word / Region::kLineWords);
  const BlockCell writer{region.writers[word]};
  const Other written{writer, region.epoch(word, Region::kWriter), true};
  if (writer.serial() == step.serial) {
    if (auto race = within_block(region, word, writer, true, step)) return race;
  } else if (writer.serial() >= base_ && conflicts(region, word, written, step)) {
    note(region, word, written, step, found);
  }
  look_at_others(region, word, step, found);
  const uint32_t epoch = step.epoch();
  const Other mine{step.cell(), epoch, false};
  const Other first{BlockCell{region.readers[word]}, region.epoch(word, Region::kReader), false};
  const auto is_free = [&](const Other& reader) {
    return reader.cell.serial() < base_ || reader.cell.serial() == step.serial ||
           happens_before(reader, step);
  };
  const auto put = [&](Region::Slot slot, const Other& reader) {
    (slot == Region::kReader ? region.readers : region.more_readers)[word] = reader.cell.bits;
    region.set_epoch(word, slot, reader.epoch);
  };
  if (is_free(first)) {
    put(Region::kReader, mine);
    return std::nullopt;
  }
  region.has_two_readers.store(true, std::memory_order_relaxed);
  const Other second{BlockCell{region.more_readers[word]}, region.epoch(word, Region::kMoreReader),
                     false};
  const bool second_is_free = is_free(second);
  if (step.serial < first.cell.serial()) {
    if (!second_is_free) remember(region, word, second, step);
    put(Region::kMoreReader, first);
    put(Region::kReader, mine);
  } else if (second_is_free) {
    put(Region::kMoreReader, mine);
  } else if (step.serial < second.cell.serial()) {
    remember(region, word, second, step);
    put(Region::kMoreReader, mine);
  } else {
    remember(region, word, mine, step);
  }
  return std::nullopt;
}

}  // namespace ridge::observe
