// One part of a page as a picture, as the README shows them:
//   node web/picture.mjs REPORT.html SELECTOR OUTPUT.png [WIDTH]
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [page_path, selector, output, width = "1120"] = process.argv.slice(2);
if (!output) {
  console.error("usage: node web/picture.mjs REPORT.html SELECTOR OUTPUT.png [WIDTH]");
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: Number(width), height: 900 }, deviceScaleFactor: 1.5 });
await page.goto(`file://${resolve(page_path)}`);
await page.waitForFunction(() => [...document.querySelectorAll(".stage")].every((stage) => stage.querySelector("svg")));
await page.addStyleTag({ content: "details { display: none } main > * { margin-bottom: 40px } .chart { margin-bottom: 0 !important } .charts.two, .training { margin: 40px 0 !important }" });
await page.waitForTimeout(300);
const box = await page.locator(selector).first().boundingBox();
const room = 16;
await page.screenshot({
  path: output, fullPage: true,
  clip: { x: box.x - room, y: box.y - room, width: box.width + 2 * room, height: box.height + 2 * room },
});
await browser.close();
