// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/operation.h"
#include "simulator/http/request_reader.h"
#include "simulator/model/server_model.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace throttlescope::http {

struct Operation;

/// One request of a connection and its answer, from the last byte of the one to the last of the other.
struct Exchange {
    enum class Kind { Model, Own }; ///< answered by the fake server, or by the program itself (control, a bad request)
    enum class Stage { Waiting, Ready, Trickling };

    ReceivedRequest request;
    Kind kind = Kind::Model;
    Stage stage = Stage::Waiting;
    bool accounted = false; ///< the model and the journal know of it, and wait for its end
    bool onItsWay = false; ///< handed over, and not yet with the model
    bool atServer = false; ///< it occupies the model
    bool composed = false; ///< its head is made
    bool close = false; ///< the connection ends after it
    std::uint64_t serial = 0; ///< differs for every use
    std::size_t held = 0; ///< bytes of its header, at most: what a waiting request costs
    Operation *operation = nullptr; ///< of a foreign client
    std::string_view operationName; ///< outlives the operation
    std::uint64_t units = 1;
    const Call *call = nullptr; ///< of a live run's own client
    std::uint32_t attempt = 1;
    MonotonicTime arrived;
    Answer answer;
    std::string wire; ///< of an own answer, and of one that trickles
    std::size_t sent = 0; ///< of `wire`
    std::size_t released = 0; ///< of `wire`, where it trickles
    std::uint64_t filler = 0; ///< bytes of body behind the text that are still to be made
    int file = -1; ///< where an own answer's filler is read from, and from which place on
    std::uint64_t fileAt = 0;
};

/// Buffers are used again from request to request, and idle connections hold none.
class ExchangePool {
public:
    std::unique_ptr<Exchange> take()
    {
        if (m_free.empty())
            return std::make_unique<Exchange>();
        auto exchange = std::move(m_free.back());
        m_free.pop_back();
        return exchange;
    }
    void giveBack(std::unique_ptr<Exchange> exchange)
    {
        constexpr std::size_t kept = 64;
        if (m_free.size() >= kept || exchange->wire.capacity() > 64 * 1024)
            return;
        exchange->kind = Exchange::Kind::Model;
        exchange->stage = Exchange::Stage::Waiting;
        exchange->accounted = exchange->onItsWay = exchange->atServer = exchange->composed = exchange->close = false;
        exchange->serial = 0;
        exchange->held = 0;
        exchange->answer.kind = AnswerKind::Respond;
        exchange->operation = nullptr;
        exchange->operationName = {};
        exchange->call = nullptr;
        exchange->wire.clear();
        exchange->sent = exchange->released = 0;
        exchange->filler = exchange->fileAt = 0;
        exchange->file = -1;
        m_free.push_back(std::move(exchange));
    }

private:
    std::vector<std::unique_ptr<Exchange>> m_free;
};

} // namespace throttlescope::http
