# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Public keys as pyzmq's authenticator reads them: a file for each, in the form of CZMQ's certificates."""
import os
import tempfile


def admit(authenticator, keys):
    """Returns the directory, which has to last: the authenticator's thread reads it when it comes to it."""
    directory = tempfile.TemporaryDirectory(prefix="zlink-")
    for number, key in enumerate(keys):
        with open(os.path.join(directory.name, f"{number}.key"), "w", encoding="ascii") as certificate:
            certificate.write(f'curve\n    public-key = "{key}"\n')
    authenticator.configure_curve(domain="global", location=directory.name)
    return directory
