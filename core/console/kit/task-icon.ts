import type { ComponentType } from 'react'

/** A picture of the icon set, as rows and tabs of self-service draw it. */
export type TaskIcon = ComponentType<{ size?: number | string; stroke?: number | string; 'aria-hidden'?: boolean }>
