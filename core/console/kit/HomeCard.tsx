// The frame of a card on the home page, drawn by the card itself where it has something to show: one with nothing is not there.

import { createContext, useContext, type ReactNode } from 'react'
import { Section } from './Section.tsx'

export const HomeCardContext = createContext<{ title?: string; intro?: string }>({})

export function HomeCard({ children }: { children: ReactNode }) {
  return <Section {...useContext(HomeCardContext)}>{children}</Section>
}
