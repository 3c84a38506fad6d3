/* What figures are made of, under one name: a chapter's module imports all of it from here. */
export * from "./controls.js";
export { bin, max, median, sum } from "./d3.js";
export * from "./density.js";
export * from "./figure.js";
export * from "./laws.js";
export * from "./memory.js";
export * from "./plot.js";
export * from "./random.js";
export * from "./softmax.js";
