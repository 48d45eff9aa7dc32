// Each component of the kit brings its own styles, so that a page loads those of what it draws. The kit has them in files beside its code and names none
// of them there; its table of class names and its styles carry the same name.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Undefined for what is no table of the kit's class names. */
export function withStyles(root: string, id: string, code: string): string | undefined {
  const [, name] = /\/@mantine\/core\/esm\/.+\/(\w+)\.module\.mjs$/.exec(id) ?? []
  if (name === undefined) return undefined
  if (!existsSync(join(root, `node_modules/@mantine/core/styles/${name}.css`))) throw new TypeError(`The kit has no styles for ${name}`)
  return `import '@mantine/core/styles/${name}.css'\n${code}`
}

export function stylesPlugin(root: string): Plugin {
  return {
    name: 'chancery:styles',
    apply: 'build',
    transform(code, id) {
      const styled = withStyles(root, id, code)
      return styled === undefined ? undefined : { code: styled, map: null }
    },
  }
}
