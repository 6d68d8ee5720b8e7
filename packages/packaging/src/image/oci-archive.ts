import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type TreeFile, tarArchive } from '../deb/build-deb.ts';
import type { Architecture } from '../program/runtimes.ts';

interface ImageContent {
  /** The name under which engines load it, such as `visitor-counter:1.2.3`. */
  readonly name: string;
  readonly architecture: Architecture;
  /** When it was made (epoch seconds). */
  readonly time: number;
  /** Archives of tar, the lowest first. */
  readonly layers: readonly Buffer[];
  /** How the image is run; see "config" in the OCI image specification. */
  readonly config: Readonly<Record<string, unknown>>;
}

interface Blob {
  readonly digest: string;
  readonly content: Buffer;
}

/**
 * An image as an archive of tar: an OCI image layout with the list of images that `docker load` expects, so Docker, Podman
 * and Kubernetes load it. The same content gives the same bytes.
 */
export async function ociArchive({
  name,
  architecture,
  time,
  layers,
  config,
}: ImageContent): Promise<Buffer> {
  const contents = layers.map((layer) => blobOf(gzipSync(layer)));
  const created = new Date(time * 1_000).toISOString();
  const image = jsonBlob({
    architecture,
    os: 'linux',
    created,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(digestOf) },
    history: contents.map(() => ({ created, created_by: 'visitor-counter' })),
  });
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptor('application/vnd.oci.image.config.v1+json', image),
    layers: contents.map((layer) => descriptor('application/vnd.oci.image.layer.v1.tar+gzip', layer)),
  });
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...descriptor('application/vnd.oci.image.manifest.v1+json', manifest),
        platform: { architecture, os: 'linux' },
        annotations: {
          'io.containerd.image.name': `docker.io/library/${name}`,
          'org.opencontainers.image.ref.name': name.replace(/^.*:/, ''),
        },
      },
    ],
  };
  const list = [{ Config: pathOf(image), RepoTags: [name], Layers: contents.map(pathOf) }];
  const blobs = [...contents, image, manifest];
  const files: TreeFile[] = [
    { path: '/oci-layout', content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
    { path: '/index.json', content: JSON.stringify(index) },
    { path: '/manifest.json', content: JSON.stringify(list) },
    ...blobs.map((blob) => ({ path: `/${pathOf(blob)}`, content: blob.content })),
  ];
  return tarArchive(files, time);
}

function blobOf(content: Buffer): Blob {
  return { digest: digestOf(content), content };
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function jsonBlob(value: unknown): Blob {
  return blobOf(Buffer.from(JSON.stringify(value)));
}

function descriptor(mediaType: string, { digest, content }: Blob) {
  return { mediaType, digest, size: content.length };
}

function pathOf({ digest }: Blob): string {
  return `blobs/${digest.replace(':', '/')}`;
}
