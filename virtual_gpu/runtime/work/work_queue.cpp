#include "virtual_gpu/runtime/work/work_queue.h"

#include <pthread.h>

#include <algorithm>
#include <thread>

namespace ridge::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// An idle helper polls for this long before it sleeps.
constexpr auto kPollingTime = std::chrono::milliseconds(2);
// A launch into a longer queue blocks, as on a GPU.
constexpr size_t kLongestQueue = 1024;

thread_local bool thread_in_host_function = false;
thread_local bool thread_in_task = false;
thread_local const Task* thread_task = nullptr;
std::atomic<uint32_t> queues_made{0};

}  // namespace

bool in_host_function() {
  return thread_in_host_function;
}

void run_host_function(const std::function<void()>& function) {
  thread_in_host_function = true;
  function();
  thread_in_host_function = false;
}

WorkQueue::WorkQueue() : id(++queues_made) {}

const Task* running_task() {
  return thread_task;
}

WorkQueues::WorkQueues() = default;

// A default stream waits for the blocking streams of its device, and they for it, whether or not
// their work is done already.
void WorkQueues::place_in_order(Task& task, WorkQueue& queue, const std::vector<TaskRef>& after) {
  DeviceOrder& device = device_order_[queue.device];
  task.order = queue.order;
  task.order.join(host_order_);
  for (const TaskRef& other : after)
    if (other) task.order.join(other->order);
  if (queue.is_legacy) task.order.join(device.of_blocking);
  if (queue.is_blocking) task.order.join(device.of_legacy);
  task.number = ++queue.submitted;
  task.order.raise(queue.id, task.number);
  queue.order = task.order;
  device.all.join(task.order);
  if (queue.is_blocking) device.of_blocking.join(task.order);
  if (queue.is_legacy) device.of_legacy.join(task.order);
}

std::vector<TaskRef> WorkQueues::blockers_of(const WorkQueue& queue, std::vector<TaskRef> after) const {
  for (const auto& other : busy_) {
    if (other.get() == &queue || other->device != queue.device || other->tasks.empty()) continue;
    const bool ordered = (queue.is_legacy && other->is_blocking) || (other->is_legacy && queue.is_blocking);
    if (ordered) after.push_back(other->tasks.back());
  }
  std::erase_if(after, [](const TaskRef& task) { return !task || task->done; });
  return after;
}

bool WorkQueues::is_ready(const Task& task) const {
  return std::all_of(task.after.begin(), task.after.end(),
                     [](const TaskRef& other) { return other->done.load(); });
}

// True when the separation of host and device permits the task to begin now.
bool WorkQueues::may_begin(const Task& task) const {
  if (!host_apart_) return true;
  return !host_function_runs_ && (task.task_executor != TaskExecutor::helper || running_ == 0);
}

TaskRef WorkQueues::add(const std::shared_ptr<WorkQueue>& queue, std::function<void()> work, TaskExecutor task_executor,
                        std::vector<TaskRef> after) {
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  task->queue = queue;
  task->task_executor = task_executor;
  task->submitted = Clock::now();
  Lock lock(mutex_);
  if (queue->tasks.size() >= kLongestQueue && !thread_in_host_function) {
    const TaskRef first = queue->tasks.front();
    wait_locked(first, lock);
  }
  if (follows_order_) place_in_order(*task, *queue, after);
  task->after = blockers_of(*queue, std::move(after));
  if (queue->tasks.empty()) busy_.push_back(queue);
  queue->tasks.push_back(task);
  const bool at_once = task_executor == TaskExecutor::submitter && queue->tasks.size() == 1 && task->after.empty();
  if (at_once)
    run_first(queue, lock);
  else
    call_helper(task_executor == TaskExecutor::helper);
  return task;
}

// Executes the first task of a queue that no thread has taken. Releases the lock meanwhile.
void WorkQueues::run_first(const std::shared_ptr<WorkQueue>& queue, Lock& lock) {
  const std::shared_ptr<WorkQueue> own = queue;  // `queue` may be an element of busy_
  const TaskRef task = own->tasks.front();
  own->taken = true;
  ++events_;
  if (task->work) {
    const bool is_host_function = task->task_executor == TaskExecutor::helper, outer = thread_in_task;
    ++running_;
    if (is_host_function) host_function_runs_ = true;
    lock.unlock();
    thread_in_task = true;
    const Task* const outer_task = thread_task;
    thread_task = task.get();
    task->work();
    thread_task = outer_task;
    thread_in_task = outer;
    task->work = nullptr;
    lock.lock();
    if (is_host_function) host_function_runs_ = false;
    --running_;
  }
  ++events_;
  own->taken = false;
  own->tasks.pop_front();
  if (own->tasks.empty()) std::erase(busy_, own);
  task->after.clear();
  task->done = true;
  task_done_.notify_all();
  if (!busy_.empty()) call_helper(false);
}

void WorkQueues::wait(const TaskRef& task) {
  ++waits_;
  if (!task || (task->done && !follows_order_)) return;
  Lock lock(mutex_);
  if (!task->done) wait_locked(task, lock);
  host_knows(task->order);
}

void WorkQueues::wait_locked(const TaskRef& task, Lock& lock) {
  ++waiting_threads_;
  if (host_apart_) call_helper(true);
  while (!task->done) {
    if (auto queue = runnable_towards(task)) {
      run_first(queue, lock);
      continue;
    }
    task_done_.wait(lock);
  }
  if (host_apart_ && !thread_in_task) task_done_.wait(lock, [this] { return running_ == 0; });
  --waiting_threads_;
}

// A queue whose first task can run now and must be done before `task`; null when other threads are
// executing them.
std::shared_ptr<WorkQueue> WorkQueues::runnable_towards(const TaskRef& task) const {
  const std::shared_ptr<WorkQueue>& queue = task->queue;
  if (queue->taken || queue->tasks.empty()) return nullptr;
  const TaskRef& first = queue->tasks.front();
  if (is_ready(*first))
    return first->task_executor == TaskExecutor::helper || !may_begin(*first) ? nullptr : queue;
  for (const TaskRef& other : first->after) {
    if (other->done) continue;
    if (auto found = runnable_towards(other)) return found;
  }
  return nullptr;
}

void WorkQueues::wait(const std::shared_ptr<WorkQueue>& queue) {
  ++waits_;
  Lock lock(mutex_);
  std::vector<TaskRef> last;
  if (!queue->tasks.empty()) last.push_back(queue->tasks.back());
  if (queue->is_legacy) last = blockers_of(*queue, std::move(last));
  const observe::TaskClock order = queue->is_legacy ? device_order_[queue->device].of_blocking : queue->order;
  for (const TaskRef& task : last)
    wait_locked(task, lock);
  host_knows(order);
}

void WorkQueues::wait_for_device(int device) {
  ++waits_;
  Lock lock(mutex_);
  std::vector<TaskRef> last;
  for (const auto& queue : busy_) {
    if (queue->device == device) last.push_back(queue->tasks.back());
  }
  const observe::TaskClock order = device_order_[device].all;
  for (const TaskRef& task : last)
    wait_locked(task, lock);
  host_knows(order);
}

bool WorkQueues::is_idle(const std::shared_ptr<WorkQueue>& queue, bool for_host) {
  if (host_apart_) wait(queue);
  Lock lock(mutex_);
  if (!queue->tasks.empty() || !blockers_of(*queue, {}).empty()) return false;
  if (for_host) host_knows(queue->order);
  return true;
}

bool WorkQueues::is_device_idle(int device) {
  Lock lock(mutex_);
  return std::none_of(busy_.begin(), busy_.end(), [&](const auto& queue) { return queue->device == device; });
}

bool WorkQueues::drain(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  Lock lock(mutex_);
  ++waiting_threads_;
  if (host_apart_) call_helper(true);
  // Leave the work to helpers, because this thread must be able to stop waiting.
  const bool drained = task_done_.wait_until(lock, end, [&] { return busy_.empty(); });
  --waiting_threads_;
  return drained;
}

// Makes a helper look for work, after `helper_delay_` or immediately.
void WorkQueues::call_helper(bool now) {
  if (has_watcher_) {
    if (monitor_sleeps_ || now) watch_.notify_one();
  } else if (reserves_ > 0) {
    reserve_.notify_one();
  } else if (helpers_starting_ == 0) {
    start_helper();
  }
}

void WorkQueues::start_helper() {
  ++helpers_starting_;
  std::thread([this] {
    pthread_setname_np(pthread_self(),
                       "virtual-gpu");  // distinguishes it from the program's threads
    help();
  }).detach();
}

// The queue with the highest priority whose first task has waited long enough. If there is none,
// `soonest` is the time at which one will have.
std::shared_ptr<WorkQueue> WorkQueues::next_for_helper(Clock::time_point now,
                                                       Clock::time_point& soonest) const {
  if (host_apart_ && waiting_threads_ == 0) return nullptr;
  std::shared_ptr<WorkQueue> best;
  for (const auto& queue : busy_) {
    if (queue->taken) continue;
    const Task& first = *queue->tasks.front();
    if (!is_ready(first) || !may_begin(first)) continue;
    const auto due = first.task_executor == TaskExecutor::helper ? now : first.submitted + helper_delay_.load();
    if (due > now) {
      soonest = std::min(soonest, due);
    } else if (!best || queue->priority < best->priority) {
      best = queue;
    }
  }
  return best;
}

void WorkQueues::help() {
  Lock lock(mutex_);
  --helpers_starting_;
  for (;;) {
    if (has_watcher_) {
      ++reserves_;
      reserve_.wait(lock);
      --reserves_;
      continue;
    }
    has_watcher_ = true;
    auto last_work = Clock::now();
    std::shared_ptr<WorkQueue> queue;
    while (!queue) {
      const auto now = Clock::now();
      auto soonest = Clock::time_point::max();
      queue = next_for_helper(now, soonest);
      if (queue) break;
      if (soonest != Clock::time_point::max()) {
        last_work = now;
        watch_.wait_until(lock, soonest);
      } else if (now - last_work < kPollingTime) {
        watch_.wait_for(lock, std::chrono::microseconds(200));
      } else {
        monitor_sleeps_ = true;
        watch_.wait(lock);
        monitor_sleeps_ = false;
        last_work = Clock::now();
      }
    }
    has_watcher_ = false;
    // Start another watcher while this helper works: its task may depend on tasks that no thread
    // has taken yet.
    if (busy_.size() > 1) call_helper(false);
    run_first(queue, lock);
  }
}

}  // namespace ridge::runtime
