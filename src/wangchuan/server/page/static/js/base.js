// What everything else is made of: elements, hooks, and words in the reader's language.
// All text reaches the document through Preact's text nodes and attributes, never as markup.

const { h, render, createContext } = self.preact;
const { useCallback, useContext, useEffect, useMemo, useRef, useState } = self.preactHooks;
const html = self.htm.bind(h);

export { createContext, h, html, render };
export { useCallback, useContext, useEffect, useMemo, useRef, useState };

export const LANGUAGES = ["en", "zh"];
const tongue = { language: "en", words: {} };

export function speak(language, words) {
  tongue.language = language;
  tongue.words = words;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export const spoken = () => tongue.language;

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

// The words of a key, with what stands in braces filled in.
export const t = (key, values = {}) => filled(tongue.words[key] ?? key, values);

// The same in pieces, of which those in brackets, `[shown|word]`, are explained: [text, word].
export function piecesOf(key, values) {
  const parts = (tongue.words[key] ?? key).split(/\[([^\]|]+)\|(\w+)\]/);
  return parts.flatMap((text, n) =>
    n % 3 === 2 ? [] : [[filled(text, values), n % 3 ? parts[n + 1] : null]]);
}

// The keys of a group, without its name, in their order.
export const keysOf = (group) =>
  Object.keys(tongue.words).flatMap((key) => (key.startsWith(group) ? [key.slice(group.length)] : []));

export const has = (key) => key in tongue.words;

// The same for a number of things: `key.one` or `key.more` where they differ.
export function counted(key, n) {
  return t(has(key) ? key : `${key}.${n === 1 ? "one" : "more"}`, { n: figure(n) });
}

// The reader's word for one of the library's: the kind of a change or of a memory.
export const named = (group, word) => (has(`${group}.${word}`) ? t(`${group}.${word}`) : word);

const locale = () => (tongue.language === "zh" ? "zh-CN" : "en-GB");

export function figure(n, digits = 0) {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(n);
}

// With two digits; what is nearly nothing has no sign.
export const hundredths = (n) => (Math.round(100 * n) / 100 + 0).toFixed(2);

export const percent = (share) => `${Math.round(100 * Math.max(0, Math.min(1, share)))}%`;

export function moment(seconds) {
  const style = { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(locale(), style).format(new Date(seconds * 1000));
}

export function day(seconds) {
  const style = { dateStyle: "long" };
  return new Intl.DateTimeFormat(locale(), style).format(new Date(seconds * 1000));
}

const STEPS = [[60, "second"], [60, "minute"], [24, "hour"], [30, "day"], [12, "month"]];

export function ago(seconds) {
  let left = seconds - Date.now() / 1000;
  const told = new Intl.RelativeTimeFormat(locale(), { numeric: "auto", style: "long" });
  for (const [size, unit] of STEPS) {
    if (Math.abs(left) < size) return told.format(Math.round(left), unit);
    left /= size;
  }
  return told.format(Math.round(left), "year");
}

const OWN = {
  上文: "before", 下文: "after", 想起: "reminded", 合并: "merged", 相关: "related", 询问: "question", 更正: "correction",
  决定: "decision", 原因: "reason", 转折: "contrast", 举例: "example", 计划: "plan", 感受: "feeling", 补充: "addition",
  关于: "about", 提到: "mention",
};

// The name of a link as it is read: those that the library gives are translated.
export function relation(name) {
  return name ? named("relation", OWN[name] ?? name) : t("relation.none");
}

// A link with something old, by words in common or because it came to mind; the others are of one talk.
export const isRelated = (names) => names.some((name) => ["相关", "related", "想起"].includes(name));

// What is left of a memory's text.
export const shareOf = ({ content, original_length: whole }) => content.length / (whole || 1);

// The first of some texts that says anything: of a very short one, only an ellipsis may be left.
export const telling = (...texts) => texts.find((text) => /[\p{L}\p{N}]/u.test(text ?? "")) ?? texts.at(-1);

// What a dot of the network is called by.
export const wordsOf = ({ id, content, phrase }) => telling(content, phrase, id);

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

// The beginning of a text, in whole words; of a word that is longer than that, its beginning.
export function cut(text, most) {
  if (text.length <= most) return text;
  const { index, segment } = WORDS.segment(text.slice(0, 2 * most)).containing(most);
  const head = text.slice(0, segment.length > most ? most : index);
  const whole = /[!-~]/.test(text[head.length]) ? head.replace(/[!-~]+$/, "") : head; // no half of a date, either
  return `${(whole || head).trimEnd()}…`;
}

// The same on one line.
export const short = (text, most) => cut(text.slice(0, 4 * most).replace(/\s+/g, " ").trim(), most);
