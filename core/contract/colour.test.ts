import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, graphicContrast, parseColour, readableColour, surfaces, tenantColours, textContrast } from './colour.ts'

const themes = ['light', 'dark'] as const

describe('a tenancy’s colour', () => {
  test.each(themes)('as hostile as #ffd400 can be read in the %s theme', (theme) => {
    const colours = tenantColours('#ffd400', theme)
    for (const surface of surfaces[theme]) {
      expect(contrast(colours?.line ?? '', surface)).toBeGreaterThanOrEqual(graphicContrast)
      expect(contrast(colours?.text ?? '', surface)).toBeGreaterThanOrEqual(textContrast)
    }
    expect(contrast(colours?.fill ?? '', colours?.onFill ?? '')).toBeGreaterThanOrEqual(textContrast)
  })

  test('of any kind holds its contrast on every surface of both themes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), fc.constantFrom(...themes), (number, theme) => {
        const colours = tenantColours(`#${number.toString(16).padStart(6, '0')}`, theme)
        return (
          colours !== undefined &&
          surfaces[theme].every(
            (surface) => contrast(colours.line, surface) >= graphicContrast && contrast(colours.text, surface) >= textContrast,
          ) &&
          contrast(colours.fill, colours.onFill) >= textContrast
        )
      }),
      { numRuns: 300 },
    )
  })

  test('that holds already stays as it is', () => {
    expect(readableColour('#1f4fbf', ['#ffffff'], textContrast)).toBe('#1f4fbf')
  })

  test('keeps its hue: yellow darkens to a yellow', () => {
    const [red = 0, green = 0, blue = 0] = parseColour(readableColour('#ffd400', surfaces.light, graphicContrast) ?? '') ?? []
    expect(Math.min(red, green)).toBeGreaterThan(blue * 2)
  })

  test.each(['', 'red', '#12', 'url(x)'])('%j is no colour', (text) => {
    expect(tenantColours(text, 'light')).toBeUndefined()
  })
})

test('contrast is that of WCAG', () => {
  expect(contrast('#000', '#fff')).toBeCloseTo(21, 5)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})
