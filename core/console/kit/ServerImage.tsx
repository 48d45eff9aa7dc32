// A picture from an address of the server. It is asked for as a download is, which names the tenancy that the page shows: an <img> by itself names none, and is refused.

import { Image, type ImageProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { askForFile } from '../send-file.ts'

export function ServerImage({ from, alt, ...props }: Omit<ImageProps, 'src'> & { from: string; alt: string }) {
  const [shown, setShown] = useState<{ from: string; address: string }>()
  useEffect(() => {
    let gone = false
    let address: string | undefined
    askForFile(from).then(
      (file) => {
        if (gone) return
        address = URL.createObjectURL(file)
        setShown({ from, address })
      },
      // The place stays empty: a page is no worse without its picture.
      () => {},
    )
    return () => {
      gone = true
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [from])
  const address = shown?.from === from ? shown.address : undefined
  // Without an address nothing is asked for, and the place is kept.
  return <Image src={address ?? empty} alt={alt} {...props} />
}

const empty = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
