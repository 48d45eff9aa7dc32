// A component in a file of its own, loaded when it is first drawn, or before.

import { createElement, lazy, useState, type ComponentType } from 'react'
import { chunkFailed } from './chunks.ts'

export type FromFile<Props extends object, Component extends ComponentType<Props> = ComponentType<Props>> = ComponentType<Props> & {
  /** Fetches the file before it is drawn; undefined where it does not come. */
  preload: () => Promise<Component | undefined>
}

/**
 * The file exports one component, by its name. Once it is here it is drawn at once: React's own `lazy` waits for a promise even then, so it would
 * show a sign of loading first and begin again with everything around it.
 */
export function fromFile<Props extends object, Component extends ComponentType<Props> = ComponentType<Props>>(
  load: () => Promise<Record<string, Component>>,
): FromFile<Props, Component> {
  let loading: Promise<Component> | undefined
  let loaded: Component | undefined
  const once = (): Promise<Component> =>
    (loading ??= load()
      .then(onlyOne)
      .then((component) => (loaded = component)))
  const Later = lazy(async (): Promise<{ default: ComponentType<Props> }> => ({ default: await once().catch(chunkFailed) }))
  function Here(props: Props) {
    // Kept as it was first drawn: another type of component would be drawn anew, and lose what was typed.
    const [drawn] = useState<ComponentType<Props>>(() => loaded ?? Later)
    return createElement(drawn, props)
  }
  return Object.assign(Here, { preload: () => once().catch(() => undefined) })
}

function onlyOne<C>(file: Record<string, C>): C {
  const [component] = Object.values(file)
  if (component === undefined) throw new TypeError('The file exports one component')
  return component
}
