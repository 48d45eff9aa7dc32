/** Runs once the work is committed. What is done stays done: a failure is logged and changes no answer. */
export type AfterCommit = () => void | Promise<void>
