import { useLocation, useMatches } from 'react-router'
import type { Screen } from '#core/contract/contract.ts'
import { textIn } from '../location-state.ts'

const isScreen = (handle: unknown): handle is Screen =>
  typeof handle === 'object' && handle !== null && 'area' in handle && 'path' in handle

/** The contract's entry of the screen that is shown; undefined on the console's own pages. */
export const useCurrentScreen = (): Screen | undefined =>
  useMatches()
    .map((match) => match.handle)
    .findLast(isScreen)

/** The room of the screen that is shown, or of the one that was refused. */
export function useCurrentArea(): string | undefined {
  const { state } = useLocation()
  return useCurrentScreen()?.area ?? textIn(state, 'area')
}
