"""Pages of --picture NAME.html in headless Chromium: no errors, hover, selection, and a saved selection that equals the
data. Where Chromium or selenium is missing, they are skipped."""
import csv
import io
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import numpy as np

import glshape

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
MISSING = ("python3-selenium is not installed" if webdriver is None else "Chromium is not installed" if not BROWSER
           else "chromedriver (chromium-driver) is not installed" if not DRIVER else None)
NASTY = ["</script><script>alert(1)</script>", 'a "quote"', "comma, comma", "<b>bold</b> & more", "zwei\u2028drei", "-->",
         "\u00e9\u4e2d\U0001f600", "' OR 1=1", "\\u003c", "x" * 300]


def shape(*arguments):
    done = subprocess.run([os.environ["GLSHAPE"], *arguments], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


@unittest.skipIf(MISSING, MISSING)
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900",
                         "--user-data-dir=" + os.path.join(cls.folder, "profile")):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": cls.folder})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(DRIVER))
        cls.browser.set_script_timeout(60)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def open(self, page):
        """Opens a page, a path or bytes, and waits until it is drawn. There is nothing in the console."""
        if isinstance(page, bytes):
            with open(self.path("page.html"), "wb") as file:
                file.write(page)
            page = self.path("page.html")
        self.browser.get("file://" + page)
        self.drawn()
        self.assertEqual(self.browser.get_log("browser"), [])

    def drawn(self):
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))")

    def script(self, text, *arguments):
        return self.browser.execute_script("const page = glshapePage;" + text, *arguments)

    def canvas(self, panel=0):
        return self.browser.find_elements(By.CSS_SELECTOR, ".stage canvas:last-child")[panel]

    def pointer(self, x, y, panel=0):
        """Actions that begin with the pointer at a place of a panel, as whole() gives it."""
        left, top = self.corner(panel)
        actions = ActionChains(self.browser, duration=0)
        actions.w3c_actions.pointer_action.move_to_location(round(left + x), round(top + y))
        return actions

    def corner(self, panel=0):
        return self.browser.execute_script(
            "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]", self.canvas(panel))

    def whole(self, x, y, panel=0):
        """The place of a panel that the pointer can have: at a whole pixel of the window."""
        corner = np.array(self.corner(panel))
        return np.round(corner + (x, y)) - corner

    def place(self, row, panel=0):
        return self.script("const p = page.panels[arguments[1]]; return [p.camera.x(p.view.x[arguments[0]]),"
                           "p.camera.y(p.view.y[arguments[0]])]", row, panel)

    def selected(self):
        return self.script("return page.selection.size ? Array.from(page.selection.rows()) : []")

    def save(self):
        """The rows of the CSV that the page saves."""
        path = self.path("selection.csv")
        if os.path.exists(path):
            os.remove(path)
        self.browser.find_element(By.ID, "save").click()
        for _ in range(200):
            if os.path.exists(path):
                break
            time.sleep(0.05)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def click(self, text):
        self.browser.find_element(By.XPATH, f"//button[normalize-space()='{text}']").click()

    # ---- layouts ----

    def layout(self):
        rng = np.random.default_rng(3)
        points = rng.normal(size=(40, 5))
        names = NASTY + [f"row {k}" for k in range(30)]
        classes = [("</script>", "b")[k % 2] for k in range(40)]
        with open(self.path("points.csv"), "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["who", "class"] + [f"c{k}" for k in range(5)])
            rows.writerows([n, c, *p] for n, c, p in zip(names, classes, points))
        shape("mds", self.path("points.csv"), "--index", "who", "--labels", "class", "-q", "-o", self.path("layout.csv"),
              "--picture", self.path("layout.html"))
        with open(self.path("layout.csv"), newline="", encoding="utf-8") as file:
            return names, classes, list(csv.reader(file))[1:]

    def test_names_are_text(self):
        names, classes, layout = self.layout()
        self.open(self.path("layout.html"))
        for row in (*range(10), 17):
            self.pointer(*self.place(row)).perform()
            tip = self.browser.find_element(By.ID, "tip")
            self.assertTrue(tip.is_displayed())
            found = self.script("return page.hovered")
            lines = tip.get_attribute("innerText").split("\n")
            apart = np.hypot(*np.subtract(self.place(row), self.place(found)))
            self.assertLess(apart, 2)  # the nearest to a whole pixel
            self.assertEqual(self.script("return document.querySelector('#tip b').textContent"), names[found])
            self.assertIn("class: " + classes[found], lines)
            self.assertEqual(float(lines[1].split(": ")[1]), float(layout[found][1]))
        self.assertEqual(self.script("return document.scripts.length"), 2)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_all_that_is_saved_is_the_layout(self):
        names, classes, layout = self.layout()
        self.open(self.path("layout.html"))
        saved = self.save()
        self.assertEqual(saved[0], ["name", "x1", "x2", "class"])
        self.assertEqual([row[0] for row in saved[1:]], names)
        self.assertEqual([row[3] for row in saved[1:]], classes)
        got = np.array([row[1:3] for row in saved[1:]], np.float32)
        np.testing.assert_array_equal(got, np.array([row[1:3] for row in layout], np.float32))

    def test_box(self):
        names, _, layout = self.layout()
        self.open(self.path("layout.html"))
        places = np.array([self.place(row) for row in range(40)])
        (left, top), (right, bottom) = (self.whole(*at) for at in np.percentile(places, [20, 75], axis=0))
        self.click("Select box")
        self.pointer(left, top).click_and_hold().move_by_offset(round(right - left), round(bottom - top)).release().perform()
        inside = [k for k, (x, y) in enumerate(places) if left < x < right and top < y < bottom]
        self.assertGreater(len(inside), 3)
        self.assertEqual(self.selected(), inside)
        self.assertIn(f"{len(inside)} of 40 points selected", self.browser.find_element(By.ID, "selected").text)
        self.assertEqual([row[0] for row in self.save()[1:]], [names[k] for k in inside])
        self.browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
        self.assertEqual(self.selected(), [])

    def test_lasso_and_what_is_added(self):
        self.layout()
        self.open(self.path("layout.html"))
        x, y = self.place(20)
        self.click("Select lasso")
        around = self.pointer(x - 12, y - 12).click_and_hold()
        for step in ((24, 0), (0, 24), (-24, 0)):
            around.move_by_offset(*step)
        around.release().perform()
        first = self.selected()
        self.assertIn(20, first)
        self.click("Pan")
        ActionChains(self.browser).key_down(Keys.SHIFT).perform()
        self.pointer(*self.place(31)).click().perform()
        ActionChains(self.browser).key_up(Keys.SHIFT).perform()
        self.assertEqual(len(self.selected()), len(first) + 1)

    def test_zoom_and_pan(self):
        self.layout()
        self.open(self.path("layout.html"))
        before, place = self.script("return page.panels[0].camera.sx"), self.whole(*self.place(12))
        at = self.script("const c = page.panels[0].camera; return [c.dataX(arguments[0]), c.dataY(arguments[1])]", *place)
        self.browser.execute_script(
            "const c = arguments[0], b = c.getBoundingClientRect(); c.dispatchEvent(new WheelEvent('wheel', {deltaY: -400,"
            "clientX: b.left + arguments[1], clientY: b.top + arguments[2], cancelable: true}))", self.canvas(), *place)
        self.drawn()
        self.assertGreater(self.script("return page.panels[0].camera.sx"), 1.5 * before)
        self.assert_at(at, place)
        self.pointer(*place).click_and_hold().move_by_offset(30, 20).release().perform()
        self.assert_at(at, np.add(place, (30, 20)))
        self.assertEqual(self.selected(), [])
        self.click("Show all")
        self.assertEqual(self.script("return page.panels[0].camera.sx"), before)

    def assert_at(self, data, place):
        got = self.script("const c = page.panels[0].camera; return [c.x(arguments[0]), c.y(arguments[1])]", *data)
        np.testing.assert_allclose(got, place, atol=1e-6)

    def test_search(self):
        self.layout()
        self.open(self.path("layout.html"))
        self.browser.find_element(By.ID, "search").send_keys("<B>", Keys.ENTER)
        self.assertEqual(self.selected(), [3])

    def test_few_points(self):
        for points in ([[0, 0]], [[1, 2]] * 7, [[1e30, -1e30], [-1e30, 1e30]], [[1e-40, 0], [2e-40, 1e-40]],
                       [[5, 0], [5, 1]], [[1, 1e300], [2, -1e300]]):
            self.open(scatter_page(np.array(points, float)))
            x, y = self.place(0)
            self.pointer(x, y).perform()
            self.assertIn("point ", self.browser.find_element(By.ID, "tip").text)
            saved = self.save()[1:]
            np.testing.assert_array_equal(np.array([row[1:] for row in saved], float), points)

    def test_a_line(self):
        self.open(scatter_page(np.array([[0.1], [0.2], [5]])))
        self.assertEqual([row[1] for row in self.save()], ["x1", "0.1", "0.2", "5"])

    def test_none(self):
        self.open(scatter_page(np.zeros((0, 2))))
        self.assertEqual(self.save(), [["point", "x1", "x2"]])

    def test_a_million(self):
        """The page is small enough, its points can be found, and a frame takes a fraction of a second."""
        rng = np.random.default_rng(5)
        points = rng.normal(size=(1000000, 2)).astype(np.float32)
        page = scatter_page(points, np.arange(1000000) % 5)
        self.assertLess(len(page), 16e6)
        self.open(page)
        self.click("Select box")
        (left, top), (right, bottom) = self.whole(400, 200), self.whole(600, 350)
        self.pointer(400, 200).click_and_hold().move_by_offset(200, 150).release().perform()
        corner = self.script("const c = page.panels[0].camera, a = arguments; return [c.dataX(a[0]), c.dataX(a[1]),"
                             "c.dataY(a[2]), c.dataY(a[3])]", left, right, bottom, top)
        x, y = points.astype(float).T
        inside = np.flatnonzero((x > corner[0]) & (x < corner[1]) & (y > corner[2]) & (y < corner[3]))
        self.assertEqual(self.script("return page.selection.size"), len(inside))
        saved = np.array([row for row in self.save()[1:]])
        np.testing.assert_array_equal(saved[:, 0].astype(int), inside)
        np.testing.assert_array_equal(saved[:, 1:3].astype(np.float32), points[inside])
        taken = self.script("const p = page.panels[0], c = p.below.getContext('2d'), t = performance.now();"
                            "for (let k = 0; k < 5; k++) p.view.draw(c, p); return (performance.now() - t) / 5")
        self.assertLess(taken, 1000)
        if os.environ.get("GLSHAPE_TEST_HUNT"):
            print(f"a million points: {len(page) / 1e6:.1f} MB, {taken:.0f} ms a frame")


def scatter_page(points, labels=None):
    from glshape import _picture
    return _picture.draw(*_picture.scatter(points, labels), "html", None, 0, 0)


if __name__ == "__main__":
    unittest.main()
