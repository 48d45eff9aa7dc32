import type { ScreenExamples } from '#core/testing/examples.ts'

export const examples = {} satisfies ScreenExamples
