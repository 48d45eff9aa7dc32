// What the console's shell puts into the frame of a page: the way back above its title, the tabs of its entry below, the buttons of other rooms. The public
// pages have none of them, and do not load them.

import { createContext, type ComponentType } from 'react'

export type PageParts = {
  Trail: ComponentType<{ title: string; inside: boolean }>
  Tabs: ComponentType<{ inside: boolean }>
  Buttons: ComponentType<{ inside: boolean }>
}

export const PagePartsContext = createContext<PageParts | undefined>(undefined)
