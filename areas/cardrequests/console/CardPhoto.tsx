// A photo for a card, taken by the camera or chosen, cut upright, and checked at once by the server: what is shown is what would be kept.

import { Button, FileButton, Group, Image, Stack, Text } from '@mantine/core'
import { IconCamera, IconPhoto } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { cardrequests } from '../contract.ts'

type Props = { value: string | undefined; onChange: (photo: string | undefined) => void; error: string | undefined }

/** 3 to 4. */
const ratio = 0.75
const height = 800

export function CardPhoto({ value, onChange, error }: Props) {
  const [isTaking, setTaking] = useState(false)
  const check = useSend(cardrequests.calls.checkPhoto, { quiet: true })
  const use = async (photo: string): Promise<void> => {
    onChange(undefined)
    const kept = await check.run({ photo }).catch(() => undefined)
    if (kept !== undefined) onChange(kept.photo)
  }
  const choose = async (file: File | null): Promise<void> => {
    if (file !== null) await use(await addressOf(file))
  }
  return (
    <Stack gap="xs" role="group" aria-label={t('Photo for the card')}>
      <Text fw={500}>{t('Photo for the card')}</Text>
      <Text size="sm" c="dimmed">
        {t('Your face from the front, before a plain wall. JPEG, PNG, GIF or BMP of at most 10 MB, at least 240 by 320 pixels.')}
      </Text>
      <FaultAlert fault={check.fault} />
      {error !== undefined && (
        <Text size="sm" c="red">
          {error}
        </Text>
      )}
      {value !== undefined && <Image src={value} alt={t('Your photo as it will be on the card')} w={120} h={160} fit="cover" radius="sm" />}
      {isTaking ? (
        <Camera
          onTaken={(photo) => {
            setTaking(false)
            void use(photo)
          }}
          onClose={() => setTaking(false)}
        />
      ) : (
        <Group gap="xs">
          <Button
            variant="default"
            loading={check.pending}
            leftSection={<IconCamera size={16} stroke={1.8} aria-hidden />}
            onClick={() => setTaking(true)}
          >
            {t('Take a photo')}
          </Button>
          <FileButton accept="image/jpeg,image/png,image/gif,image/bmp" onChange={(file) => void choose(file)}>
            {(props) => (
              <Button {...props} variant="default" loading={check.pending} leftSection={<IconPhoto size={16} stroke={1.8} aria-hidden />}>
                {t('Choose a photo')}
              </Button>
            )}
          </FileButton>
          {value !== undefined && (
            <Button variant="default" onClick={() => onChange(undefined)}>
              {t('Without photo')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

function Camera({ onTaken, onClose }: { onTaken: (photo: string) => void; onClose: () => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const [says, setSays] = useState<string>()
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    let stream: MediaStream | undefined
    let isOver = false
    const open = async (): Promise<void> => {
      // Browsers give no camera to a page that did not come by https.
      if (!('mediaDevices' in navigator)) return setSays(t('This browser gives this page no camera. Choose a photo instead.'))
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'user', width: { ideal: 1280 } }, audio: false })
        if (isOver) return stop(stream)
        if (video.current !== null) video.current.srcObject = stream
      } catch {
        setSays(t('The camera cannot be used: it was not allowed, or there is none. Choose a photo instead.'))
      }
      return undefined
    }
    void open()
    return () => {
      isOver = true
      stop(stream)
    }
  }, [])
  const take = () => {
    if (video.current !== null) onTaken(cut(video.current, video.current.videoWidth, video.current.videoHeight))
  }
  return (
    <Stack gap="xs">
      {says === undefined ? (
        <video
          ref={video}
          autoPlay
          playsInline
          muted
          aria-label={t('Camera')}
          style={{ width: '100%', maxWidth: 320, aspectRatio: String(ratio), objectFit: 'cover', borderRadius: 8 }}
          onLoadedData={() => setReady(true)}
        />
      ) : (
        <Text role="status">{says}</Text>
      )}
      <Group gap="xs">
        {says === undefined && (
          <Button disabled={!isReady} onClick={take}>
            {t('Take the photo now')}
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          {t('Close camera')}
        </Button>
      </Group>
    </Stack>
  )
}

const stop = (stream: MediaStream | undefined): void => stream?.getTracks().forEach((track) => track.stop())

/** The middle of a picture, upright. */
function cut(source: CanvasImageSource, wide: number, high: number): string {
  const across = Math.min(wide, high * ratio)
  const down = across / ratio
  const canvas = document.createElement('canvas')
  canvas.height = Math.min(height, Math.round(down))
  canvas.width = Math.round(canvas.height * ratio)
  canvas.getContext('2d')?.drawImage(source, (wide - across) / 2, (high - down) / 2, across, down, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/jpeg', 0.92)
}

/** A file that the browser can show is cut upright here; any other goes to the server as it is, which says what is wrong with it. */
async function addressOf(file: File): Promise<string> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (picture !== undefined) {
    const shape = picture.width / picture.height
    if (Math.abs(shape - ratio) > 0.05) return cut(picture, picture.width, picture.height)
  }
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file was not read'))
    reader.readAsDataURL(file)
  })
}
