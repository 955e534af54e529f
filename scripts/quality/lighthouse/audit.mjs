// {root, pages, browser, flags} as JSON on stdin; on stdout a line of JSON a page: its
// scores, and what cost points. One Chromium looks at all pages, each in a profile of its
// own, as somebody who was never there; what counts for no score is left out.
import { readFileSync } from "node:fs";
import { defaultConfig, startFlow } from "lighthouse";
import { throttling } from "lighthouse/core/config/constants.js";
import { launch } from "puppeteer-core";

const { root, pages, browser: executablePath, flags: args } = JSON.parse(readFileSync(0, "utf8"));
const onlyCategories = ["performance", "accessibility", "best-practices", "seo"];
const parts = onlyCategories.flatMap((name) => defaultConfig.categories[name].auditRefs);
const counted = new Set(parts.filter((part) => part.weight).map((part) => part.id));
const config = {
  extends: "lighthouse:default",
  settings: {
    onlyCategories, skipAudits: parts.map((part) => part.id).filter((id) => !counted.has(id)),
    disableFullPageScreenshot: true, throttling: { ...throttling.mobileSlow4G },
  },
};

// A task lasts as long as its thread computed, not as long as it waited for a busy machine:
// whatever it did moves closer together. Lighthouse then takes a phone's time for it.
const computed = ({ traceEvents }) => {
  const threads = Map.groupBy(traceEvents, ({ pid, tid }) => `${pid} ${tid}`);
  for (const events of threads.values()) {
    events.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
    let start = 0, end = 0, share = 1; // of the task that is under way
    for (const event of events) {
      if (event.ts >= end) share = 1;
      if (event.ts >= end && event.ph === "X" && event.dur && event.tdur != null)
        [start, end, share] = [event.ts, event.ts + event.dur, Math.min(1, event.tdur / event.dur)];
      event.ts = share < 1 ? start + Math.round((event.ts - start) * share) : event.ts;
      if (event.dur && share < 1) event.dur = Math.round(event.dur * share);
    }
  }
};

// The phone is four times slower than the computers that Lighthouse has in mind, which reach
// USUAL in its benchmark. A slower computer is fewer times faster than this phone.
const USUAL = 1500;

const browser = await launch({ executablePath, args, headless: true });
for (const page of pages) {
  const profile = await browser.createBrowserContext();
  const flow = await startFlow(await profile.newPage(), { config });
  await flow.navigate(`${root}${page}.html`);
  await profile.close();
  const { artifacts } = flow.createArtifactsJson().gatherSteps[0];
  computed(artifacts.Trace);
  const speed = Math.min(1, artifacts.BenchmarkIndex / USUAL);
  for (const { throttling: phone } of [config.settings, artifacts.settings])
    phone.cpuSlowdownMultiplier = throttling.mobileSlow4G.cpuSlowdownMultiplier * speed;
  const { lhr } = (await flow.createFlowResult()).steps[0];
  const scores = {}, lost = [];
  for (const [name, { score, auditRefs }] of Object.entries(lhr.categories)) {
    scores[name] = Math.round(100 * score);
    for (const { id, weight } of auditRefs) {
      const { score, title, displayValue, details } = lhr.audits[id] ?? {};
      if (weight && score != null && score < 0.95)
        lost.push({ name, title, said: displayValue, where: details?.items?.slice(0, 3) });
    }
  }
  console.log(JSON.stringify({ page, scores, lost }));
}
await browser.close();
