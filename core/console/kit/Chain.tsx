import type { ReactNode } from 'react'
import classes from './Chain.module.css'

/** Certificates from the root down, each in a box of its own (`<li>`), with a line from one to the next. */
export const Chain = ({ children }: { children: ReactNode }) => <ol className={classes['chain']}>{children}</ol>
