// The face of a calibration card: a frame at a known distance from the edges, rulers in millimetres, and which side is up.

import { FaceDesign } from '../contract.ts'
import { cardSize } from '../rules.ts'

const black = '#000000'
const box = (x: number, y: number, width: number, height: number) => ({ kind: 'box' as const, x, y, width, height, colour: black })
const text = (x: number, y: number, height: number, says: string) => ({ kind: 'text' as const, x, y, width: 60, height, text: says })

/** 5 mm from each edge, a quarter of a millimetre wide. */
const inset = 5
const thin = 0.25
const { width, height } = cardSize
const frame = [
  box(inset, inset, width - 2 * inset, thin),
  box(inset, height - inset - thin, width - 2 * inset, thin),
  box(inset, inset, thin, height - 2 * inset),
  box(width - inset - thin, inset, thin, height - 2 * inset),
]
/** Marks at each centimetre of a ruler of 50 mm across and 30 mm down. */
const across = Array.from({ length: 6 }, (_, at) => box(20 + at * 10, 20, thin, 3))
const down = Array.from({ length: 4 }, (_, at) => box(10, 10 + at * 10, 3, thin))

const side = (name: string) => ({
  elements: [...frame, ...across, ...down, text(20, 25, 4, `${name}: 50 mm`), text(20, 31, 3, 'Frame 5 mm from each edge')],
})

export const calibrationFace: FaceDesign = FaceDesign.parse({ front: side('Front'), back: side('Back') })
