// SPDX-License-Identifier: Apache-2.0

#include "gatehouse_redis_frame.h"

// Ends an element, and with it each array whose last element it was.
static void end_element(struct gatehouse_redis_frame *frame) {
    while (frame->depth > 0 && --frame->lacking[frame->depth - 1] == 0) frame->depth--;
    if (frame->depth == 0) frame->bytes = frame->elements = 0;
}

// Handles the end of a line that announces a text, or an array.
static enum gatehouse_redis_frame_fault announce(struct gatehouse_redis_frame *frame) {
    // -1 means nil.
    if (frame->is_negative) {
        if (frame->number != 1) return gatehouse_redis_unframed;
        end_element(frame);
        return gatehouse_redis_framed;
    }
    if (frame->kind == '$') {
        if (frame->number > gatehouse_redis_most_bytes) return gatehouse_redis_oversized;
        frame->text = (size_t)frame->number + 2;
        return gatehouse_redis_framed;
    }
    if (frame->number == 0) {
        end_element(frame);
        return gatehouse_redis_framed;
    }
    if (frame->depth == gatehouse_redis_most_depth || frame->number > gatehouse_redis_most_elements ||
        (frame->elements += (size_t)frame->number) > gatehouse_redis_most_elements) {
        return gatehouse_redis_oversized;
    }
    frame->lacking[frame->depth++] = (size_t)frame->number;
    return gatehouse_redis_framed;
}

// Takes one character of a line; the meaning of the line is known at its end.
static enum gatehouse_redis_frame_fault take_character(struct gatehouse_redis_frame *frame, char character) {
    if (frame->kind == 0) {
        if (character != '+' && character != '-' && character != ':' && character != '$' && character != '*') {
            return gatehouse_redis_unframed;
        }
        frame->kind = character;
        frame->line = 0;
        frame->number = 0;
        frame->is_ending = frame->is_negative = frame->has_digits = false;
        return gatehouse_redis_framed;
    }
    bool is_text = frame->kind == '+' || frame->kind == '-';
    if (frame->is_ending) {
        if (character != '\n') return gatehouse_redis_unframed;
        char kind = frame->kind;
        if (!is_text && !frame->has_digits) return gatehouse_redis_unframed;
        enum gatehouse_redis_frame_fault fault = gatehouse_redis_framed;
        if (kind == '$' || kind == '*') {
            fault = announce(frame);
        } else {
            end_element(frame);
        }
        frame->kind = 0;
        return fault;
    }
    if (character == '\r') {
        frame->is_ending = true;
        return gatehouse_redis_framed;
    }
    if (++frame->line > gatehouse_redis_most_line) return gatehouse_redis_oversized;
    if (is_text) return character == '\n' ? gatehouse_redis_unframed : gatehouse_redis_framed;
    if (character == '-' && frame->line == 1) {
        frame->is_negative = true;
        return gatehouse_redis_framed;
    }
    if (character < '0' || character > '9') return gatehouse_redis_unframed;
    int digit = character - '0';
    // The smallest number has no positive counterpart; it is not supported.
    if (frame->number > (INT64_MAX - digit) / 10) return gatehouse_redis_oversized;
    frame->number = frame->number * 10 + digit;
    frame->has_digits = true;
    return gatehouse_redis_framed;
}

enum gatehouse_redis_frame_fault gatehouse_redis_frame_take(struct gatehouse_redis_frame *frame, const char *bytes, size_t count) {
    while (count > 0) {
        if (frame->text > 2) {
            size_t part = count < frame->text - 2 ? count : frame->text - 2;
            frame->bytes += part;
            frame->text -= part;
            bytes += part;
            count -= part;
        } else if (frame->text > 0) {
            if (*bytes != (frame->text == 2 ? '\r' : '\n')) return gatehouse_redis_unframed;
            frame->bytes++;
            bytes++;
            count--;
            if (--frame->text == 0) end_element(frame);
        } else {
            frame->bytes++;
            enum gatehouse_redis_frame_fault fault = take_character(frame, *bytes);
            if (fault != gatehouse_redis_framed) return fault;
            bytes++;
            count--;
        }
        if (frame->bytes > gatehouse_redis_most_bytes) return gatehouse_redis_oversized;
    }
    return gatehouse_redis_framed;
}
