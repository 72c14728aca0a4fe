// Heights of all rows, summed in a Fenwick tree: the place of a row and the row at a place take
// about 15 steps among 20,000, and one changed height changes as few sums.
class Heights {
  constructor(heights) {
    this.length = heights.length;
    this.each = Float64Array.from(heights);
    this.sums = new Float64Array(this.length + 1);
    for (let index = 1; index <= this.length; index += 1) {
      this.sums[index] += this.each[index - 1];
      const above = index + (index & -index);
      if (above <= this.length) this.sums[above] += this.sums[index];
    }
    this.top = 1;
    while (this.top * 2 <= this.length) this.top *= 2;
  }

  set(row, height) {
    const change = height - this.each[row];
    this.each[row] = height;
    for (let index = row + 1; index <= this.length; index += index & -index) this.sums[index] += change;
  }

  // Returns the pixels above a row; `before(length)` is the height of all.
  before(row) {
    let sum = 0;
    for (let index = row; index > 0; index -= index & -index) sum += this.sums[index];
    return sum;
  }

  // Returns the row at a place in pixels, the last one below the end.
  at(pixels) {
    let row = 0;
    let left = pixels;
    for (let step = this.top; step > 0; step >>= 1) {
      if (row + step <= this.length && this.sums[row + step] <= left) {
        row += step;
        left -= this.sums[row];
      }
    }
    return Math.max(Math.min(row, this.length - 1), 0);
  }
}
