// What the build tells the server of each page: the files that it loads beside those that every page loads, and the path of the call that it sends
// first. `shell` says who sees it: where nobody is signed in, a page of the console becomes the one to sign in on.

export type PageFiles = { path: string; shell: 'public' | 'console'; files: string[]; asks?: string }

/** In the folder of the built console; nobody else is told. */
export const pagesFile = 'pages.json'

export const signInPath = '/login'
export const homePath = '/home'
/** The console's own pages, which belong to no room: whoever is signed in may see them. */
export const ownPages = { root: '/', denied: '/denied', errorBoundary: '/errorBoundary' } as const
