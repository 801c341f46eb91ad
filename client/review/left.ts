// A review that its person ended without a decision: nothing is written, and it is no failure.

export class ReviewLeft extends Error {
  override readonly name = "ReviewLeft";
  /** `interrupt`: Ctrl-C, which in raw mode is a key and no signal. `ended`: no more input will come. */
  readonly how: "escape" | "interrupt" | "ended";

  constructor(how: "escape" | "interrupt" | "ended") {
    super("The review was left without a decision");
    this.how = how;
  }
}
